/* Written from the rooms in src/ll by `make headers`: change them. */
/* ll.h - linear layouts for GPU kernels: algebra, plans, moves, and on request
 * an engine that chooses layouts, sorts and clusters.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_H
#define LL_H

/* ---- guide: The guide ------------------------------------------------- */

/* What this is.
 *
 * A layout says which element each register of each lane of each warp holds, or
 * which element lies at each offset of a memory. On a GPU nearly every size is
 * a power of two. Nearly every layout is then a matrix over F2, the field with
 * the elements 0 and 1, that acts on the bits of an index:
 *
 *     register: j0 i0 | lane: j1 j2 j3 i1 i2 | warp: i3
 *
 * Bit 0 of the register number contributes bit 0 of column j; bit 1 of the
 * register number contributes bit 0 of row i; the five bits of the lane number
 * contribute j1 j2 j3 i1 i2, and the bit of the warp number i3. The element in
 * a given register, lane and warp is the XOR of the contributions of the bits
 * that are set: register 1 of lane 9 of warp 0 gives j0 ^ j1 ^ i1, which is row
 * 2, column 3. This is layout A of the paper "Linear Layouts: Robust Code
 * Generation of Efficient Tensor Computation Using F2" (ASPLOS 2026), which
 * this library implements for people who write their kernels by hand.
 *
 * Once a layout is a matrix, a few XORs compute an index, and the solution of a
 * linear system converts one layout to another. An access to shared memory
 * takes 2^d cycles per phase, where d is a difference of two ranks, 0 at best.
 *
 * The map goes from hardware to tensor, because a register holds one element
 * but an element may have copies in several registers.
 */

/* A complete example.
 *
 *     #include "ll.h"
 *     #include <stdio.h>
 *
 *     int main(void) {
 *         char text[200];
 *         ll_layout a = ll_parse("register: j0 i0 | lane: j1 j2 j3 i1 i2 | "
 *                                "warp: i3");
 *         ll_layout where = ll_inv(a);
 *         unsigned y = ll_pack(a.out, LL_I, 2) ^ ll_pack(a.out, LL_J, 3);
 *         unsigned x = ll_apply(where, y);
 *         ll_str(where, text, sizeof text);
 *         printf("%s\nregister %u of lane %u\n", text,
 *                ll_unpack(a.in, LL_REGISTER, x), ll_unpack(a.in, LL_LANE, x));
 *         return where.err != LL_OK;
 *     }
 *
 * In a kernel the compiler evaluates the same functions:
 *
 *     #include "ll_ptx.h"
 *     LL_LAYOUT(IN, ll_rows(64, 64, 4));
 *     LL_LAYOUT(OUT, ll_trans(ll_rows(64, 64, 4), "j i"));
 *     LL_PLAN(TURN, IN, OUT, 32, LL_SM90);
 *     LL_EXPECT_NO_CONFLICTS(TURN);
 *
 * The lessons in examples/ continue from here.
 */

/* Index by purpose.
 *
 * Each function's comment describes its parameters, result and errors. `make
 * reference` writes these comments as HTML pages, with an index of names. In
 * examples, L("..") is ll_parse(".."), SIZES(8, 4) is an array of unsigned
 * numbers, and `is` compares its two sides.
 *
 * | for                         | here                                       |
 * |-----------------------------|--------------------------------------------|
 * | a layout from text, to text | ll_parse, ll_str                           |
 * | sizes of axes (j=64 i=64)   | ll_shape_of, ll_tensor, ll_with, ll_size   |
 * | coordinates in one word     | ll_pack, ll_unpack                         |
 * | the element at a place      | ll_apply                                   |
 * | a product, a quotient       | ll_mul, ll_compose, ll_div, ll_rdiv        |
 * | an inverse, A X = B         | ll_inv, ll_rinv, ll_pinv, ll_solve         |
 * | parts, new names and sizes  | ll_sub, ll_reshape_in, ll_rename_in, ..    |
 * | a permutation of bits       | ll_perm_of, ll_permute                     |
 * | copies, missing elements    | ll_is_injective, ll_free_bits, ll_reaches  |
 * | contiguous elements         | ll_contiguous, ll_along                    |
 * | operations on tensors       | ll_trans, ll_reduce, ll_broadcast, ll_join |
 * | memory layouts              | ll_row_major, ll_swizzled, ll_rotated      |
 * | rows of global memory       | ll_rows, LL_ROWS, ll_rows_for              |
 * | blocks, repeated tiles      | ll_blocked, ll_tiled                       |
 * | bank conflicts              | ll_wavefronts, ll_conflicts, ll_draw       |
 * | the best shared memory      | ll_swizzle                                 |
 * | the best order of an axis   | ll_preshuffle, ll_absorb                   |
 * | a plan                      | ll_plan_of, ll_reduce_of, ll_scan_of,      |
 * |                             | ll_gather_of                               |
 * | the text of errors, plans   | ll_error, ll_compare, ll_explain           |
 *
 * In kernels, where LL_LAYOUT and LL_PLAN declare constants:
 *
 * | for                         | here                                       |
 * |-----------------------------|--------------------------------------------|
 * | the value of a name         | LL_GET                                     |
 * | compile-time checks         | LL_EXPECT_KIND, LL_EXPECT_NO_CONFLICTS     |
 * | sizes of arrays and blocks  | LL_REGS, LL_THREADS, LL_SMEM_BYTES         |
 * | groups of a block's threads | LL_SCOPE, LL_IN, LL_SYNC                   |
 * | global memory               | LL_LOAD, LL_STORE, LL_COPY                 |
 * | any layout to any other     | LL_CONVERT                                 |
 * | its store and load alone    | LL_STORE_SHARED, LL_LOAD_SHARED            |
 * | reduction, scan, gather     | LL_REDUCE, LL_SCAN, LL_GATHER              |
 * | coordinates of registers    | LL_EACH, LL_AT                             |
 *
 * Optional parts, each behind a macro:
 *
 * | for                         | here                                       |
 * |-----------------------------|--------------------------------------------|
 * | sorts (LL_SORTS)            | LL_SORT_PLAN, LL_SORT, ll_sort_of          |
 * | the layouts of a graph      | ll_engine_parse, ll_engine_solve,          |
 * | (LL_ENGINE)                 | LL_ASSIGN                                  |
 * | reductions, scans           | LL_CLUSTER_REDUCE, LL_CLUSTER_SCAN         |
 * | of a cluster (LL_CLUSTERS)  |                                            |
 *
 * In headers of their own:
 *
 * | for                         | here                                       |
 * |-----------------------------|--------------------------------------------|
 * | data between GPUs           | ll_reshard.h: ll_reshard_of,               |
 * |                             | ll_explain_reshard                         |
 * | pictures, the notations of  | ll_views.h, in tools/views: ll_picture,    |
 * | Triton and CuTe             | ll_from_triton, ll_from_cute               |
 */

/* Words and bit order.
 *
 * Words of the interface:
 *
 * register  number of an element within one lane
 * lane      position in a warp, which has 32 lanes, or 64 on some AMD targets
 * warp      position of the warp in the block, or in a scope (kernel/scopes)
 * block     position of the block in a cluster
 * offset    position in a linear memory, counted in elements
 * i, j, k.. coordinates of the tensor; the last letter is the fastest
 * bit       one binary digit of one of the above; bit 0 is the lowest
 * basis     the images of the input bits, one column each
 * tile      a layout used as a building block, or required by an instruction
 * bank      a column of shared memory, 4 bytes wide
 * phase     the lanes whose accesses to shared memory are served together
 * wavefront one cycle of shared memory: each bank serves one word (what AMD
 *           calls a wavefront is called a warp here)
 *
 * A size is a count, `bits` is its logarithm. Memory is counted in bytes.
 *
 * Order. A list of dimensions starts with the fastest. A list with one item for
 * each axis i, j, k, .. follows these letters, slowest first, as an array is
 * declared. For 8 rows of 16 columns:
 *
 *     fastest first                       slowest first
 *     ll_shape_of("j=16 i=8"), ll_shape   ll_tensor(2, sizes) of {8, 16}
 *     the tail -> j=16 | i=8 of a text    the tail -> 8x16 of a text
 *     the groups of a text                rows, columns: ll_rows(8, 16, 4)
 *     lists of ll_order_in, ll_tiled      the list of ll_trans
 *
 * Packing. A layout has several input and several output dimensions. Each side
 * is packed into one word: the first, fastest dimension takes the lowest bits.
 * The inputs of a distributed layout are register, lane, warp, block; its
 * outputs are .., j, i, so a matrix's packed output is its row-major index.
 *
 * Text. Columns are written from bit 0 up, input by input:
 *
 *     register: j0 i0 | lane: j1 j2 j3 i1 i2 | warp: i3 -> 16x16
 *
 * `0` is a zero column: inputs that differ in that bit hold copies of the same
 * element. `j3^i0` is a column with two bits. A name that ends in a digit takes
 * a dot before the bit: `dim0.3`. The tail `-> 16x16` gives the sizes, slowest
 * first. It is needed only if the columns do not determine them. The usual
 * order of outputs is register, lane, warp, block, then the axes from the last
 * letter to the first. If the outputs are in another order, or the columns lack
 * some of them, the tail lists them like the inputs: `-> i=16 | j=16`. The
 * affine part, a constant that is XORed to every output (y = Ax ^ b), is a
 * final group `1: i3^j0`. A name has at most ten of the characters a-z A-Z 0-9
 * _ and does not start with a digit.
 *
 * Words of the implementation. Linear algebra:
 *
 * span      a list of vectors over F2, and the subspace that they generate
 * nullspace the inputs that a matrix maps to 0
 * intersect find a basis of the vectors that two spans share
 * project   remove from each vector its component in a given subspace
 * mix       in elimination: a mask of the original vectors that XOR to a row
 * coset     y + S, the elements that differ from y by a vector of a subspace S
 *
 * Accesses and memory:
 *
 * place     a packed input: register, lane, warp and block, or an offset
 * position  number of an element of a lane, in the order in which a step takes
 *           them; each step has its own order of the registers
 * form      the kind of an access: vectors at each lane's address, or the rows
 *           of matrices (ldmatrix, its transposing variants, ds_read_tr)
 * way       form and vector length of the accesses of one side of a conversion
 * piece     4 to 16 bytes of a row that stay together in memory
 * pass      one of several trips through shared memory that is too small for
 *           the whole tile; each moves the registers that agree in some bits
 * over-read a load of byte pairs by lanes that need one byte of each pair and
 *           select it
 *
 * nibble    half of a byte: a 4-bit element
 * pair      the two 4-bit elements in a byte
 * apart     4-bit elements, one per byte, in its low half
 *
 * Movement within a warp:
 *
 * hop       one instruction (at most two) that reads a word of another lane
 * swap      one instruction that exchanges a position bit with a lane bit, for
 *           two words
 * exchange  a conversion within a warp: selects, rounds of shuffles, selects
 * round     one shuffle in which each lane sends one word and receives one; in
 *           a reduction, one combination with another lane
 *
 * Reductions, scans and gathers:
 *
 * tree      the order in which a warp combines elements: registers of a lane,
 *           then one lane bit per round
 * level     a step of a scan: combines totals of 2^k elements in pairs
 * skew      the register number is XORed with lane bits, so that lanes take
 *           their registers in different orders and reach different banks
 *
 * Names in the code:
 *
 * own       of the same thread: own registers, own lane, own warp
 * turned    a scan in another layout, between two conversions
 * by        in a shift, a distance in bits; in a function's name, its method
 *           (ll_step_by_vectors_, ll_plan_by_swaps_)
 */

/* ---- base/configuration: Configuration -------------------------------- */

#define LL_VERSION_MAJOR 0
#define LL_VERSION_MINOR 4
#define LL_VERSION_PATCH 0
#define LL_VERSION                                                          \
    (LL_VERSION_MAJOR * 10000 + LL_VERSION_MINOR * 100 + LL_VERSION_PATCH)

#define LL_MAX_BITS 32u /* on each side of a layout, all dimensions together */
#define LL_MAX_DIMS 16u /* on each side of a layout */
#define LL_MAX_NAME 10u /* characters in the name of a dimension */

#ifndef LL_EMULATE
#define LL_EMULATE 0 /* 1: device code calls an emulator on the host */
#endif

#ifndef LL_DEBUG
#define LL_DEBUG 0 /* 1: check which threads call; the emulator always does */
#endif

/* Optional rooms. Define the macro of a room before including the header:
 * LL_ENGINE, LL_SORTS, LL_CLUSTERS, and LL_MATRIX (matrix instructions, in
 * ll_ptx.h). Two more are headers of their own. */
#ifdef LL_VIEWS
#error "ll: include ll_views.h instead of defining LL_VIEWS"
#endif
#ifdef LL_RESHARD
#error "ll: include ll_reshard.h instead of defining LL_RESHARD"
#endif

/* ---- base/portability: Portability ------------------------------------ */

/* LL_CPLUSPLUS_ is the year and month of the C++ standard. MSVC leaves
 * __cplusplus at C++98 and has another macro. Its old preprocessor passes
 * __VA_ARGS__ as one argument, which no macro here can take. */
#if defined(_MSVC_TRADITIONAL) && _MSVC_TRADITIONAL
#error "ll: MSVC's old preprocessor is not supported: add /Zc:preprocessor"
#endif
#if defined(_MSVC_LANG)
#define LL_CPLUSPLUS_ _MSVC_LANG
#elif defined(__cplusplus)
#define LL_CPLUSPLUS_ __cplusplus
#endif

/* LL_MSVC_ is 1 for MSVC itself, which lacks the attributes and built-ins of
 * GNU. No run-time compiler is meant: NVRTC and hipRTC find no <string.h>. */
#if defined(_MSC_VER) && !defined(__clang__)
#define LL_MSVC_ 1
#else
#define LL_MSVC_ 0
#endif

/* LL_UNUSED_ precedes what may stay unused without a warning. */
#if !LL_MSVC_
#define LL_UNUSED_ __attribute__((unused))
#elif defined(LL_CPLUSPLUS_) && LL_CPLUSPLUS_ >= 201703L
#define LL_UNUSED_ [[maybe_unused]]
#else
#define LL_UNUSED_
#endif

/* LL_CONSTEXPR is 1 if functions can be evaluated at compile time. */
#if defined(LL_CPLUSPLUS_)
#if LL_CPLUSPLUS_ >= 201402L
#define LL_CONSTEXPR 1
#else
#define LL_CONSTEXPR 0
#endif
#define LL_ZERO {}
#define LL_ALIGN_(n) alignas(n)
#else
#define LL_CONSTEXPR 0
#define LL_ZERO {0}
#define LL_ALIGN_(n) _Alignas(n)
#endif

/* LL_INIT_ after a member zeroes it where an initializer omits it. */
#if LL_CONSTEXPR
#define LL_INIT_ {}
#else
#define LL_INIT_
#endif

/* LL_GPU is 1 in a compiler that builds kernels (CUDA or HIP, both passes). */
#if defined(__CUDACC__) || defined(__CUDA__) || defined(__HIP__)
#define LL_GPU 1
#else
#define LL_GPU 0
#endif

#if !LL_GPU
#define LL_HOST_DEVICE_
#elif defined(__clang__)
#define LL_HOST_DEVICE_ __attribute__((host)) __attribute__((device))
#else
#define LL_HOST_DEVICE_ __host__ __device__
#endif

/* LL_FN precedes every function: callable on host and device, constexpr where
 * possible, and silent when unused. */
#if LL_CONSTEXPR
#define LL_FN LL_UNUSED_ LL_HOST_DEVICE_ static constexpr
#else
#define LL_FN LL_UNUSED_ LL_HOST_DEVICE_ static inline
#endif

/* NVRTC provides memcpy without a header, but not the built-in. It requires
 * __host__ __device__ on every function that a device constant may call. */
#if defined(__CUDACC_RTC__)
#define LL_MEMCPY_ memcpy
#define LL_CONSTANT_ LL_HOST_DEVICE_ static constexpr
#elif LL_MSVC_
#include <string.h>
#define LL_MEMCPY_ memcpy
#define LL_CONSTANT_ static constexpr
#else
#define LL_MEMCPY_ __builtin_memcpy
#define LL_CONSTANT_ static constexpr
#endif

/* LL_DEVICE precedes every device function. */
#if LL_EMULATE
#define LL_DEVICE static inline __attribute__((unused, always_inline))
#elif defined(__clang__) && LL_GPU
#define LL_DEVICE                                                           \
    __attribute__((device, unused, always_inline)) static inline
#elif LL_GPU
#define LL_DEVICE LL_UNUSED_ static __device__ __forceinline__
#endif

/* LL_UNROLL precedes device loops. Host compilers warn about its pragma. */
#if LL_GPU && (defined(__CUDA_ARCH__) || defined(__clang__))
#define LL_UNROLL _Pragma("unroll")
#else
#define LL_UNROLL
#endif

/* ---- ll_ptx/errors: Errors of NVIDIA's instructions ------------------- */

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

/* ---- ll_amd/errors: Errors of AMD's instructions ---------------------- */

/* The errors that only functions of ll_amd.h return. They are in ll.h because
 * ll_strerror returns the sentence of any error. */
#define LL_AMD_ERRORS(X, n)                                                 \
    X(n, LL_EMFMA, 56,                                                      \
      "MFMA: m = n must be 4, 16 or 32, blocks 1 or as many as "            \
      "fill the lanes, bits 4 to 64 (SMFMAC: 8 or 16), and k as "           \
      "an instruction has it for these")                                    \
    X(n, LL_EWMMA, 57,                                                      \
      "WMMA: gfx must be 0x1100 to 0x1103, 0x1150 to 0x1153, "              \
      "0x1200 or 0x1201 (SWMMAC: the last two), lanes 32 or 64, "           \
      "bits 4, 8 or 16 (C: 16 or 32), and k as an instruction "             \
      "has it for these")                                                   \
    X(n, LL_EMODIFIER, 58,                                                  \
      "cbsz must be at most log2 of the blocks, abid below "                \
      "2^cbsz, blgp at most 7, an index set within 32 bits, "               \
      "high 0 or 1")                                                        \
    X(n, LL_ETRANSPOSE, 59,                                                 \
      "a transposing load needs elements of 4, 8 or 16 bits "               \
      "(ds_load_tr: 8 or 16)")

/* ---- base/errors: Errors ---------------------------------------------- */

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

/* ---- base/types: Types ------------------------------------------------ */

/* The types that all rooms share. A dimension is its name, packed into a word.
 * A shape lists dimensions, fastest first, with log2 of each size. A layout has
 * one column (a packed output) per bit of its packed input, and one offset.
 * Types for a single subject are in its room. */

/* A dimension is its name: six bits per character, the first character highest.
 * Comparing two dimensions therefore compares their names. */
typedef unsigned long long ll_dim;

#define LL_REGISTER ((ll_dim)0x4851c94d4152000)
#define LL_LANE ((ll_dim)0x301385000000000)
#define LL_WARP ((ll_dim)0x5c1490000000000)
#define LL_BLOCK ((ll_dim)0x08c3c32c0000000)
#define LL_OFFSET ((ll_dim)0x3c6193154000000)
#define LL_I ((ll_dim)0x240000000000000)
#define LL_J ((ll_dim)0x280000000000000)
#define LL_K ((ll_dim)0x2c0000000000000)

/* The dimensions of one side of a layout, fastest first. */
typedef struct ll_shape {
    unsigned err; /* LL_OK, or the first error */
    unsigned n;   /* number of dimensions */
    ll_dim dim[LL_MAX_DIMS];
    unsigned short bits[LL_MAX_DIMS]; /* log2 of the size */
    unsigned value; /* with LL_ESIZE: the rejected size; with LL_EMISSING: the
                       missing name, as for LL_AT_DIMENSION */
} ll_shape;

/* What the member `at` of a layout holds: nothing; the position of a character
 * in the text for ll_parse, counted from 1; a rejected value; or the first five
 * characters of the name of a missing dimension d, d >> 30. */
enum { LL_AT_NOTHING, LL_AT_CHARACTER, LL_AT_VALUE, LL_AT_DIMENSION };

/* A layout maps a packed input x with the bits x0, x1, .. to the packed output
 * y = basis[0] x0 ^ basis[1] x1 ^ .. ^ offset. */
typedef struct ll_layout {
    unsigned err; /* LL_OK, or the first error */
    unsigned at;  /* position of the error, or the rejected value */
    unsigned is;  /* LL_AT_NOTHING .. LL_AT_DIMENSION */
    ll_shape in, out;
    unsigned basis[LL_MAX_BITS]; /* packed outputs */
    unsigned offset;             /* packed output of x = 0 */
} ll_layout;

LL_FN unsigned ll_ones_(unsigned bits) {
    return bits >= 32u ? ~0u : (1u << bits) - 1u;
}

LL_FN unsigned ll_popcount_(unsigned x) {
    x = x - (x >> 1 & 0x55555555u);
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    return ((x + (x >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

/* Private: returns log2 of a size; LL_NO_BITS_ if it is no power of two. */
#define LL_NO_BITS_ ~0u
LL_FN unsigned ll_log2_(unsigned long long size) {
    unsigned bits = 0;
    while (bits < 64u && size != 1ull << bits) {
        ++bits;
    }
    return bits < 64u ? bits : LL_NO_BITS_;
}

LL_FN unsigned ll_char_code_(char c) {
    return c >= 'a' && c <= 'z'   ? (unsigned)(c - 'a') + 1u
           : c >= 'A' && c <= 'Z' ? (unsigned)(c - 'A') + 27u
           : c >= '0' && c <= '9' ? (unsigned)(c - '0') + 53u
           : c == '_'             ? 63u
                                  : 0u;
}

LL_FN int ll_is_digit_(char c) { return c >= '0' && c <= '9'; }

/* Private: returns the dimension named by the first n characters of s; 0 if n
 * is 0, if n is above LL_MAX_NAME, or if the name starts with a digit. */
LL_FN ll_dim ll_dim_read_(const char *s, unsigned n) {
    ll_dim d = 0;
    for (unsigned k = 0; k < LL_MAX_NAME; ++k) {
        d = d << 6 | (k < n ? ll_char_code_(s[k]) : 0u);
    }
    return n > LL_MAX_NAME || n == 0 || ll_is_digit_(s[0]) ? 0 : d;
}

LL_FN unsigned ll_name_length_(const char *s) {
    unsigned n = 0;
    while (ll_char_code_(s[n])) {
        ++n;
    }
    return n;
}

/* Private: returns the index of dimension d in a shape; s->n if absent. */
LL_FN unsigned ll_shape_find_(const ll_shape *s, ll_dim d) {
    unsigned k = 0;
    while (k < s->n && s->dim[k] != d) {
        ++k;
    }
    return k;
}

/* Private: returns the number of packed bits below dimension k, up to k = n. */
LL_FN unsigned ll_shape_start_(const ll_shape *s, unsigned k) {
    unsigned bits = 0;
    for (unsigned d = 0; d < k; ++d) {
        bits += s->bits[d];
    }
    return bits;
}

LL_FN unsigned ll_shape_bits_(const ll_shape *s) {
    unsigned bits = ll_shape_start_(s, s->n < LL_MAX_DIMS ? s->n : LL_MAX_DIMS);
    return bits < LL_MAX_BITS ? bits : LL_MAX_BITS;
}

LL_FN unsigned ll_shape_field_(const ll_shape *s, unsigned k, unsigned x) {
    unsigned at = ll_shape_start_(s, k);
    return at >= 32u ? 0u : x >> at & ll_ones_(s->bits[k]);
}

LL_FN unsigned ll_shift_(unsigned x, unsigned by) {
    return by >= 32u ? 0u : x << by;
}

LL_FN unsigned ll_shift_down_(unsigned x, unsigned by) {
    return by >= 32u ? 0u : x >> by;
}

/* Private: converts a packed word from the shape `from` to the shape `to`.
 * Drops dimensions that `to` lacks; those that `from` lacks are 0. */
LL_FN unsigned ll_shape_repack_(unsigned x, const ll_shape *from,
                                const ll_shape *to) {
    unsigned y = 0;
    for (unsigned k = 0; k < from->n; ++k) {
        unsigned at = ll_shape_find_(to, from->dim[k]);
        if (at < to->n) {
            y |= ll_shift_(ll_shape_field_(from, k, x) & ll_ones_(to->bits[at]),
                           ll_shape_start_(to, at));
        }
    }
    return y;
}

/* Private: returns 1 if `to` has every dimension of `from`, at least as large.
 * With `same`, `to` must have no other dimension. */
LL_FN int ll_shape_fits_(const ll_shape *from, const ll_shape *to, int same) {
    int ok = !same || from->n == to->n;
    for (unsigned k = 0; k < from->n; ++k) {
        unsigned at = ll_shape_find_(to, from->dim[k]);
        ok = ok && at < to->n && from->bits[k] <= to->bits[at];
    }
    return ok;
}

/* Private: returns 1 if two shapes are equal but for their order. */
LL_FN int ll_shape_fits_both_(const ll_shape *a, const ll_shape *b) {
    return ll_shape_fits_(a, b, 0) && ll_shape_fits_(b, a, 0);
}

LL_FN ll_shape ll_shape_bad_(ll_shape s, unsigned err) {
    s.err = s.err ? s.err : err;
    return s;
}

LL_FN ll_layout ll_layout_bad_(ll_layout a, unsigned err) {
    a.err = a.err ? a.err : err;
    return a;
}

/* Private: returns a with an error and its cause, unless a has an error. */
LL_FN ll_layout ll_layout_bad_value_(ll_layout a, unsigned err,
                                     unsigned value) {
    if (!a.err && err) {
        a.at = value;
        a.is = LL_AT_VALUE;
    }
    return ll_layout_bad_(a, err);
}

/* Private: the same for a lack of dimension d (or of axis number d). */
LL_FN ll_layout ll_layout_lacking_(ll_layout a, ll_dim d) {
    const unsigned name = (unsigned)(d >> 30);
    const int first = a.err == LL_OK;
    a = ll_layout_bad_value_(a, LL_EMISSING, name ? name : (unsigned)d);
    a.is = first && name ? (unsigned)LL_AT_DIMENSION : a.is;
    return a;
}

/* Private: the same with the error of a shape, if the shape has one. */
LL_FN ll_layout ll_layout_bad_shape_(ll_layout a, const ll_shape *s) {
    return s->err == LL_ESIZE ? ll_layout_bad_value_(a, s->err, s->value)
           : s->err == LL_EMISSING
               ? ll_layout_lacking_(a, (ll_dim)s->value << 30)
               : ll_layout_bad_(a, s->err);
}

/* Private: returns an empty layout with an error. */
LL_FN ll_layout ll_layout_none_(unsigned err) {
    const ll_layout a = LL_ZERO;
    return ll_layout_bad_(a, err);
}

/* Private: returns a if it is invalid, else b. */
LL_FN ll_layout ll_layout_worst_(ll_layout a, ll_layout b) {
    return a.err ? a : b;
}

/* ---- layout/make: Making layouts -------------------------------------- */

/* Layouts are made from names and sizes, from text (see the guide), or column
 * by column. ll_parse reads what ll_str writes. */

/* ll_dim_of(name): returns the dimension of that name; 0 if null or not valid.
 * Example: ll_dim_of("lane") is LL_LANE;
 * Example: ll_dim_of("2nd") is 0;
 */
LL_FN ll_dim ll_dim_of(const char *name) {
    const unsigned n = name ? ll_name_length_(name) : 0u;
    return !name || name[n] ? 0 : ll_dim_read_(name, n);
}

/* Private: returns the shape with dimension d of `bits` bits appended. */
LL_FN ll_shape ll_shape_add_(ll_shape s, ll_dim d, unsigned bits) {
    int err = d == 0                                          ? LL_ENAME
              : bits == LL_NO_BITS_                           ? LL_ESIZE
              : ll_shape_find_(&s, d) < s.n                   ? LL_ETWICE
              : s.n >= LL_MAX_DIMS                            ? LL_EDIMS
              : ll_shape_start_(&s, s.n) + bits > LL_MAX_BITS ? LL_EBITS
                                                              : LL_OK;
    if (!s.err && !err) {
        s.dim[s.n] = d;
        s.bits[s.n] = (unsigned short)bits;
        ++s.n;
    }
    return ll_shape_bad_(s, (unsigned)err);
}

/* ll_with(s, d, size): returns the shape s with dimension d appended as the
 * slowest. Fails with LL_ESIZE, LL_ENAME, LL_ETWICE, LL_EDIMS or LL_EBITS.
 * Example: ll_with(ll_shape_of("j=4"), LL_I, 2) is ll_shape_of("j=4 i=2");
 */
LL_FN ll_shape ll_with(ll_shape s, ll_dim d, unsigned size) {
    const int before = s.err != LL_OK;
    s = ll_shape_add_(s, d, ll_log2_(size));
    s.value = s.err == LL_ESIZE && !before ? size : s.value;
    return s;
}

/* Private: reads a decimal number and moves *p past it. For a number above
 * 2^32, returns some value above 2^32. */
LL_FN unsigned long long ll_text_number_(const char *s, unsigned *p) {
    unsigned long long x = 0;
    while (ll_is_digit_(s[*p])) {
        x = x > 1ull << 32 ? x : x * 10u + (unsigned)(s[*p] - '0');
        ++*p;
    }
    return x;
}

LL_FN void ll_text_blank_(const char *s, unsigned *p) {
    while (s[*p] == ' ' || s[*p] == '\n' || s[*p] == '\t') {
        ++*p;
    }
}

/* ll_shape_of(text): returns the shape that a text describes, fastest dimension
 * first. A name without a size (`lane` instead of `lane=32`) has size 1, so
 * this function also reads lists of names. Fails with LL_ETEXT, LL_ESIZE,
 * LL_ENAME, LL_ETWICE, LL_EDIMS or LL_EBITS, and with LL_ENULL if text is null.
 * Example: ll_shape_of("j=4 i=2").n is 2;
 * Example: ll_shape_of("lane warp").dim[1] is LL_WARP;
 * Example: ll_shape_of("i=3").err is LL_ESIZE;
 */
LL_FN ll_shape ll_shape_of(const char *text) {
    ll_shape s = LL_ZERO;
    unsigned p = 0;
    if (!text) {
        return ll_shape_bad_(s, LL_ENULL);
    }
    ll_text_blank_(text, &p);
    while (text[p] && !s.err) {
        unsigned n = ll_name_length_(text + p);
        ll_dim d = ll_dim_read_(text + p, n);
        unsigned long long size = 1;
        unsigned bits = 0;
        p += n;
        if (text[p] == '=') {
            ++p;
            size = ll_text_number_(text, &p);
            bits = ll_log2_(size);
        }
        s = n ? ll_shape_add_(s, d, bits) : ll_shape_bad_(s, LL_ETEXT);
        s.value = s.err != LL_ESIZE ? 0u : size >> 32 ? ~0u : (unsigned)size;
        ll_text_blank_(text, &p);
    }
    return s;
}

/* ll_axis(k): returns the name of axis k: i, j, .. to x; 0 for k above 15.
 * Example: ll_axis(1) is LL_J;
 */
LL_FN ll_dim ll_axis(unsigned k) {
    return k < LL_MAX_DIMS ? LL_I + ((ll_dim)k << 54) : 0;
}

/* ll_tensor(rank, sizes): returns the shape of a tensor with the axes i, j, ..
 * `sizes` is an array, slowest axis first, as in an array declaration. For
 * known sizes, ll_shape_of("j=64 i=64") is shorter. Fails with LL_ESIZE,
 * LL_EBITS, LL_ENULL, and with LL_ENAME for more than 16 axes. */
LL_FN ll_shape ll_tensor(unsigned rank, const unsigned *sizes) {
    ll_shape s = LL_ZERO;
    s.err = rank && !sizes ? LL_ENULL : LL_OK;
    for (unsigned k = rank; k-- > 0 && sizes;) {
        s = ll_with(s, ll_axis(k), sizes[k]);
    }
    return s;
}

/* Private: returns the place of dimension d in a packed word; no bits if s has
 * no such dimension. The loop has a fixed length, so that in a kernel it is
 * unrolled and a constant shape leaves literals. */
typedef struct ll_field_ {
    unsigned start, bits;
} ll_field_;

LL_FN ll_field_ ll_shape_named_(const ll_shape s, ll_dim d) {
    ll_field_ f = LL_ZERO;
    unsigned found = 0;
    LL_UNROLL
    for (unsigned k = 0; k < LL_MAX_DIMS; ++k) {
        const unsigned bits = k < s.n ? s.bits[k] : 0u;
        const unsigned is = k < s.n && s.dim[k] == d;
        f.bits = is && !found ? bits : f.bits;
        found |= is;
        f.start += found ? 0u : bits;
    }
    return f;
}

/* ll_pack(s, d, x): returns the packed word with dimension d equal to x and all
 * others 0. ll_unpack(s, d, word): returns the value of dimension d in a packed
 * word. Both return 0 if s has no dimension d.
 * Example: ll_pack(ll_shape_of("j=4 i=2"), LL_I, 1) is 4;
 * Example: ll_unpack(ll_shape_of("j=4 i=2"), LL_J, 7) is 3;
 */
LL_FN unsigned ll_pack(ll_shape s, ll_dim d, unsigned x) {
    const ll_field_ f = ll_shape_named_(s, d);
    return ll_shift_(x & ll_ones_(f.bits), f.start);
}

LL_FN unsigned ll_unpack(ll_shape s, ll_dim d, unsigned word) {
    const ll_field_ f = ll_shape_named_(s, d);
    return ll_shift_down_(word, f.start) & ll_ones_(f.bits);
}

/* ll_size(s, d): returns the size of dimension d; 1 if absent, 0 for 2^32.
 * Example: ll_size(ll_shape_of("j=4 i=2"), LL_J) is 4;
 */
LL_FN unsigned ll_size(ll_shape s, ll_dim d) {
    unsigned k = ll_shape_find_(&s, d);
    return k < s.n ? ll_shift_(1u, s.bits[k]) : 1u;
}

/* ll_zero(in, out): returns the layout that maps every input to element 0. To
 * make a layout from numbers, fill in basis[] and offset, then call ll_check.
 * Example: ll_zero(ll_shape_of("lane=2"), ll_shape_of("i=2")) is
 *          L("lane: 0 -> i=2");
 */
LL_FN ll_layout ll_zero(ll_shape in, ll_shape out) {
    ll_layout a = LL_ZERO;
    a.in = in;
    a.out = out;
    return ll_layout_bad_shape_(ll_layout_bad_shape_(a, &in), &out);
}

/* ll_check(a): returns a, with an error if its parts do not fit together. It
 * checks that names are valid and distinct, that there are not too many
 * dimensions or bits, and that the columns lie within the output sizes. Call it
 * for layouts filled in by hand: other functions do not check. Fails with
 * LL_ENAME, LL_ETWICE, LL_EDIMS, LL_EBITS or LL_ERANGE. */
LL_FN ll_layout ll_check(ll_layout a) {
    for (unsigned side = 0; side < 2u; ++side) {
        const ll_shape s = side ? a.out : a.in;
        ll_shape again = LL_ZERO;
        if (s.n > LL_MAX_DIMS) {
            return ll_layout_bad_(a, LL_EDIMS);
        }
        for (unsigned k = 0; k < s.n; ++k) {
            again = s.bits[k] > 32u ? ll_shape_bad_(again, LL_EBITS)
                                    : ll_shape_add_(again, s.dim[k], 0);
        }
        a = ll_layout_bad_(a, again.err);
        if (a.err || ll_shape_start_(&s, s.n) > LL_MAX_BITS) {
            return ll_layout_bad_(a, LL_EBITS);
        }
    }
    unsigned all = a.offset;
    for (unsigned k = 0; k < ll_shape_bits_(&a.in); ++k) {
        all |= a.basis[k];
    }
    return all & ~ll_ones_(ll_shape_bits_(&a.out))
               ? ll_layout_bad_(a, LL_ERANGE)
               : a;
}

/* ll_strided(size, stride, in, out): returns the layout x -> stride * x.
 * ll_identity(size, in, out): the same with stride 1. ll_zeros(size, in, out,
 * out_size): returns the layout that maps every input to 0, as in a broadcast.
 * Fail with LL_ESIZE, LL_ESTEP (the stride is not a power of two), LL_EBITS
 * (the elements need more than 32 bits).
 * Example: ll_strided(4, 2, LL_LANE, LL_I) is L("lane: i1 i2");
 * Example: ll_identity(4, LL_LANE, LL_I) is L("lane: i0 i1");
 * Example: ll_zeros(4, LL_LANE, LL_I, 2) is L("lane: 0 0 -> i=2");
 * Example: ll_identity(3, LL_LANE, LL_I).err is LL_ESIZE;
 */
LL_FN ll_layout ll_strided(unsigned size, unsigned stride, ll_dim in,
                           ll_dim out) {
    const ll_shape none = LL_ZERO;
    unsigned n = ll_log2_(size);
    unsigned by = ll_log2_(stride);
    if (n >= 32u || by >= 32u) {
        return n >= 32u ? ll_layout_bad_value_(ll_layout_none_(LL_OK), LL_ESIZE,
                                               size)
                        : ll_layout_bad_value_(ll_layout_none_(LL_OK), LL_ESTEP,
                                               stride);
    }
    if (n + by > 32u) {
        return ll_layout_none_(LL_EBITS);
    }
    ll_layout a =
        ll_zero(ll_shape_add_(none, in, n), ll_shape_add_(none, out, n + by));
    for (unsigned k = 0; k < n && !a.err; ++k) {
        a.basis[k] = 1u << (k + by);
    }
    return a;
}

LL_FN ll_layout ll_identity(unsigned size, ll_dim in, ll_dim out) {
    return ll_strided(size, 1, in, out);
}

LL_FN ll_layout ll_zeros(unsigned size, ll_dim in, ll_dim out,
                         unsigned out_size) {
    const ll_shape none = LL_ZERO;
    return ll_zero(ll_with(none, in, size), ll_with(none, out, out_size));
}

/* ---- layout/parse: Reading text --------------------------------------- */

/* Reading text, in two passes. The first pass finds the dimensions and sizes,
 * the second pass fills in the columns. */

typedef struct ll_reader_ {
    const char *s;
    unsigned p;   /* number of the next character */
    unsigned err;
    int fill;     /* 1 in the second pass */
    char end;     /* the character after the text */
    ll_layout a;
} ll_reader_;

LL_FN void ll_reader_fail_(ll_reader_ *r, unsigned err) {
    if (!r->err) {
        r->err = err;
    }
}

/* Private: widens output d until it has bit number `bit`; adds it if absent. */
LL_FN void ll_reader_grow_(ll_reader_ *r, ll_dim d, unsigned bit) {
    unsigned k = ll_shape_find_(&r->a.out, d);
    if (k == r->a.out.n) {
        r->a.out = ll_shape_add_(r->a.out, d, 0);
        ll_reader_fail_(r, r->a.out.err);
    }
    if (!r->err && r->a.out.bits[k] <= bit) {
        r->a.out.bits[k] = (unsigned short)(bit + 1u);
        if (ll_shape_start_(&r->a.out, r->a.out.n) > LL_MAX_BITS) {
            ll_reader_fail_(r, LL_EBITS);
        }
    }
}

/* Private: reads one term, `j3` or `dim0.3`. Returns its bit; 0 in pass 1. */
LL_FN unsigned ll_read_term_(ll_reader_ *r) {
    unsigned from = r->p;
    unsigned n = ll_name_length_(r->s + from);
    unsigned name = n;
    if (r->s[from + n] == '.') {
        r->p = from + n + 1u;
    } else {
        while (name > 0 && ll_is_digit_(r->s[from + name - 1u])) {
            --name;
        }
        r->p = from + name;
    }
    if (n == 0 || !ll_is_digit_(r->s[r->p])) {
        r->p = from;
        ll_reader_fail_(r, LL_ETEXT);
        return 0;
    }
    unsigned long long number = ll_text_number_(r->s, &r->p);
    unsigned bit = number < LL_MAX_BITS ? (unsigned)number : LL_MAX_BITS;
    ll_dim d = ll_dim_read_(r->s + from, name);
    if (d == 0 || bit >= LL_MAX_BITS) {
        ll_reader_fail_(r, d ? LL_EBITS : LL_ENAME);
    } else if (!r->fill) {
        ll_reader_grow_(r, d, bit);
    }
    r->p = r->err ? from : r->p;
    if (ll_char_code_(r->s[r->p]) && !r->err) {
        ll_reader_fail_(
            r, LL_ETEXT); /* two terms without `^` or a blank between */
    }
    return r->fill ? ll_pack(r->a.out, d, ll_shift_(1u, bit)) : 0u;
}

/* Private: reads one column, `0` or terms joined by `^`, and returns it. */
LL_FN unsigned ll_read_column_(ll_reader_ *r) {
    if (r->s[r->p] == '0' && !ll_char_code_(r->s[r->p + 1u])) {
        ++r->p;
        return 0;
    }
    unsigned y = ll_read_term_(r);
    while (!r->err && r->s[r->p] == '^') {
        ++r->p;
        y ^= ll_read_term_(r);
    }
    return y;
}

/* Private: reads a group: `name:` and columns, or `1:` and the affine part. */
LL_FN void ll_read_group_(ll_reader_ *r) {
    unsigned n = ll_name_length_(r->s + r->p);
    int affine = n == 1u && r->s[r->p] == '1';
    ll_dim d = ll_dim_read_(r->s + r->p, n);
    if (n == 0 || r->s[r->p + n] != ':' || (d == 0 && !affine)) {
        ll_reader_fail_(r, n && r->s[r->p + n] == ':' ? LL_ENAME : LL_ETEXT);
        return;
    }
    unsigned k = r->a.in.n;
    if (!affine) {
        r->a.in = ll_shape_add_(r->a.in, d, 0);
        ll_reader_fail_(r, r->a.in.err);
    }
    r->p += r->err ? 0u : n + 1u;
    ll_text_blank_(r->s, &r->p);
    unsigned columns = 0;
    while (!r->err && ll_char_code_(r->s[r->p])) {
        if (affine ? columns == 1u
                   : ll_shape_bits_(&r->a.in) == LL_MAX_BITS) {
            ll_reader_fail_(r, affine ? LL_ETEXT : LL_EBITS);
            return;
        }
        unsigned y = ll_read_column_(r);
        if (affine) {
            r->a.offset = y;
        } else {
            r->a.basis[ll_shape_bits_(&r->a.in)] = y;
            ++r->a.in.bits[k];
        }
        ++columns;
        ll_text_blank_(r->s, &r->p);
    }
    if (affine && columns == 0) {
        ll_reader_fail_(r, LL_ETEXT);
    }
}

/* Private: reads the tail `j=16 | i=16` and returns its sizes. */
LL_FN ll_shape ll_read_sizes_(ll_reader_ *r) {
    ll_shape tail = LL_ZERO;
    int more = ll_char_code_(r->s[r->p]) != 0;
    while (!r->err && more) {
        unsigned n = ll_name_length_(r->s + r->p);
        ll_dim d = ll_dim_read_(r->s + r->p, n);
        unsigned from = r->p;
        r->p += n;
        if (d == 0 || r->s[r->p] != '=') {
            r->p = from;
            ll_reader_fail_(r, d || !n ? LL_ETEXT : LL_ENAME);
            return tail;
        }
        ++r->p;
        tail = ll_shape_add_(tail, d, ll_log2_(ll_text_number_(r->s, &r->p)));
        if (tail.err) {
            r->p = from;
            ll_reader_fail_(r, tail.err);
        }
        ll_text_blank_(r->s, &r->p);
        more = r->s[r->p] == '|';
        if (!more && ll_char_code_(r->s[r->p])) {
            ll_reader_fail_(r, LL_ETAIL);
        }
        r->p += more ? 1u : 0u;
        ll_text_blank_(r->s, &r->p);
    }
    return tail;
}

LL_FN ll_shape ll_shape_reversed_(ll_shape s) {
    ll_shape t = s;
    for (unsigned k = 0; k < s.n; ++k) {
        t.dim[k] = s.dim[s.n - 1u - k];
        t.bits[k] = s.bits[s.n - 1u - k];
    }
    return t;
}

/* Private: fails because the tail at `from`, such as `16x16`, has not one size
 * for each output. out.err tells ll_error so; out.value is their number. */
LL_FN void ll_read_bad_count_(ll_reader_ *r, unsigned from) {
    unsigned sizes = 0;
    for (unsigned p = from; ll_is_digit_(r->s[p]); ++sizes) {
        ll_text_number_(r->s, &p);
        p += r->s[p] == 'x' ? 1u : 0u;
    }
    ll_reader_fail_(r, LL_ETEXT);
    if (r->err == LL_ETEXT && sizes != r->a.out.n) {
        r->a.out.err = LL_ETAIL;
        r->a.out.value = sizes;
    }
}

/* Private: reads the tail `16x16`: outputs in usual order, slowest first. */
LL_FN ll_shape ll_read_extents_(ll_reader_ *r) {
    const unsigned start = r->p;
    ll_shape tail = LL_ZERO;
    unsigned more = r->a.out.n;
    while (!r->err && more > 0) {
        unsigned from = r->p;
        unsigned bits = ll_log2_(ll_text_number_(r->s, &r->p));
        --more;
        tail = ll_shape_add_(tail, r->a.out.dim[more], bits);
        if (from == r->p || tail.err) {
            r->p = from;
            ll_reader_fail_(r, tail.err);
            ll_read_bad_count_(r, start);
        } else if (more && r->s[r->p] != 'x') {
            ll_read_bad_count_(r, start);
        }
        r->p += more && !r->err ? 1u : 0u;
    }
    if (!r->err && (r->s[r->p] == 'x' || ll_is_digit_(r->s[r->p]))) {
        ll_read_bad_count_(r, start);
    }
    return ll_shape_reversed_(tail);
}

/* Private: returns the sort key of a dimension. A dimension with a larger key
 * is faster. The usual order of outputs is register, lane, warp, block, then
 * the axes from the last letter to the first. */
LL_FN ll_dim ll_dim_usual_(ll_dim d) {
    return d == LL_REGISTER ? ~(ll_dim)0
           : d == LL_LANE   ? ~(ll_dim)1
           : d == LL_WARP   ? ~(ll_dim)2
           : d == LL_BLOCK  ? ~(ll_dim)3
                            : d;
}

LL_FN ll_shape ll_shape_sorted_(ll_shape s) {
    for (unsigned k = 0; k < s.n; ++k) {
        for (unsigned m = k + 1u; m < s.n; ++m) {
            if (ll_dim_usual_(s.dim[m]) > ll_dim_usual_(s.dim[k])) {
                ll_dim d = s.dim[k];
                const unsigned short b = s.bits[k];
                s.dim[k] = s.dim[m];
                s.bits[k] = s.bits[m];
                s.dim[m] = d;
                s.bits[m] = b;
            }
        }
    }
    return s;
}

LL_FN void ll_read_tail_(ll_reader_ *r) {
    unsigned from = r->p;
    ll_text_blank_(r->s, &r->p);
    ll_shape tail = ll_is_digit_(r->s[r->p]) ? ll_read_extents_(r)
                                             : ll_read_sizes_(r);
    if (!r->err && !ll_shape_fits_(&r->a.out, &tail, 0)) {
        r->p = from;
        ll_reader_fail_(r, LL_ERANGE);
    }
    r->a.out = r->err ? r->a.out : tail;
}

/* Private: reads the text once. Only the first pass reads the tail. */
LL_FN void ll_read_(ll_reader_ *r) {
    const ll_shape none = LL_ZERO;
    r->p = 0;
    r->a.in = none;
    ll_text_blank_(r->s, &r->p);
    while (!r->err && ll_char_code_(r->s[r->p])) {
        int last = ll_is_digit_(r->s[r->p]);
        ll_read_group_(r);
        if (!r->err && r->s[r->p] == '|' && !last) {
            ++r->p;
            ll_text_blank_(r->s, &r->p);
            if (!ll_char_code_(r->s[r->p])) {
                ll_reader_fail_(r, LL_ETEXT);
            }
        }
    }
    if (r->fill || r->err) {
        return;
    }
    r->a.out = ll_shape_sorted_(r->a.out);
    if (r->s[r->p] == '-' && r->s[r->p + 1u] == '>') {
        r->p += 2u;
        ll_read_tail_(r);
        ll_text_blank_(r->s, &r->p);
    }
    if (r->s[r->p] != r->end) {
        ll_reader_fail_(r, LL_ETEXT);
    }
}

/* Private: returns the layout of a text that ends before character `end`. */
LL_FN ll_layout ll_parse_to_(const char *text, char end) {
    ll_reader_ r = LL_ZERO;
    r.s = text;
    r.end = end;
    ll_read_(&r);
    if (!r.err) {
        r.fill = 1;
        ll_read_(&r);
    }
    r.a.err = r.err;
    r.a.at = r.err ? r.p + 1u : 0u;
    r.a.is = r.err ? LL_AT_CHARACTER : LL_AT_NOTHING;
    return r.a;
}

/* ll_parse(text): returns the layout that a text describes (see the guide). On
 * failure, `at` is the position of the offending character, counted from 1.
 * Example: ll_apply(ll_parse("register: j0 i0 | lane: j1^i0"), 4) is 6;
 * Example: ll_parse("register: j0 ?").err is LL_ETEXT;
 * Example: ll_parse("register: j0 ?").at is 14;
 * Example: ll_parse("lane: i5 -> i=8").err is LL_ERANGE;
 */
LL_FN ll_layout ll_parse(const char *text) {
    return text ? ll_parse_to_(text, '\0') : ll_layout_none_(LL_ENULL);
}

/* ---- layout/write: Writing text --------------------------------------- */

/* Writing text. A function that prints writes as much as fits into the caller's
 * buffer and counts the characters of the whole text. */

typedef struct ll_writer_ {
    char *s;
    unsigned size, len;
} ll_writer_;

LL_FN void ll_write_char_(ll_writer_ *w, char c) {
    if (w->len + 1u < w->size) {
        w->s[w->len] = c;
        w->s[w->len + 1u] = 0;
    }
    ++w->len;
}

LL_FN void ll_write_(ll_writer_ *w, const char *s) {
    for (unsigned k = 0; s[k]; ++k) {
        ll_write_char_(w, s[k]);
    }
}

LL_FN void ll_write_number_(ll_writer_ *w, unsigned long long x) {
    unsigned long long ten = 1;
    while (x / ten >= 10u) {
        ten *= 10u;
    }
    for (; ten; ten /= 10u) {
        ll_write_char_(w, (char)('0' + (int)(x / ten % 10u)));
    }
}

/* Private: returns the character of a code: the inverse of ll_char_code_. */
LL_FN char ll_char_of_code_(unsigned code) {
    return (char)(code <= 26u   ? 'a' + (int)code - 1
                  : code <= 52u ? 'A' + (int)code - 27
                  : code <= 62u ? '0' + (int)code - 53
                                : '_');
}

/* Private: writes a name; returns 1 if its last character is a digit. */
LL_FN int ll_write_name_(ll_writer_ *w, ll_dim d) {
    unsigned last = 0;
    for (unsigned k = LL_MAX_NAME; k-- > 0;) {
        unsigned c = (unsigned)(d >> 6u * k) & 63u;
        if (c) {
            ll_write_char_(w, ll_char_of_code_(c));
            last = c;
        }
    }
    return last >= 53u && last <= 62u;
}

LL_FN ll_writer_ ll_writer_on_(char *buf, unsigned size) {
    ll_writer_ w = LL_ZERO;
    w.s = buf;
    w.size = buf ? size : 0u;
    if (w.size) {
        buf[0] = 0;
    }
    return w;
}

/* Private: writes one column: its output bits joined by `^`, or `0`. */
LL_FN void ll_write_column_(ll_writer_ *w, const ll_shape *out, unsigned y) {
    const char *join = "";
    for (unsigned k = 0; k < out->n; ++k) {
        unsigned part = ll_shape_field_(out, k, y);
        for (unsigned bit = 0; bit < out->bits[k]; ++bit) {
            if (part >> bit & 1u) {
                ll_write_(w, join);
                if (ll_write_name_(w, out->dim[k])) {
                    ll_write_char_(w, '.');
                }
                ll_write_number_(w, bit);
                join = "^";
            }
        }
    }
    ll_write_(w, *join ? "" : "0");
}

/* Private: returns the output shape that columns and affine part determine. */
LL_FN ll_shape ll_shape_told_(const ll_layout *a) {
    const ll_shape none = LL_ZERO;
    ll_shape told = none;
    unsigned all = a->offset;
    for (unsigned k = 0; k < ll_shape_bits_(&a->in); ++k) {
        all |= a->basis[k];
    }
    for (unsigned k = 0; k < a->out.n; ++k) {
        unsigned part = ll_shape_field_(&a->out, k, all);
        if (part) {
            told.dim[told.n] = a->out.dim[k];
            while (told.bits[told.n] < 32u && part >> told.bits[told.n]) {
                ++told.bits[told.n];
            }
            ++told.n;
        }
    }
    return ll_shape_sorted_(told);
}

LL_FN int ll_shape_same_names_(const ll_shape *a, const ll_shape *b) {
    int same = a->n == b->n;
    for (unsigned k = 0; same && k < a->n; ++k) {
        same = a->dim[k] == b->dim[k];
    }
    return same;
}

LL_FN int ll_shape_same_bits_(const ll_shape *a, const ll_shape *b) {
    int same = a->n == b->n;
    for (unsigned k = 0; same && k < a->n; ++k) {
        same = a->bits[k] == b->bits[k];
    }
    return same;
}

LL_FN int ll_shape_same_(const ll_shape *a, const ll_shape *b) {
    return ll_shape_same_names_(a, b) && ll_shape_same_bits_(a, b);
}

LL_FN void ll_write_tail_(ll_writer_ *w, const ll_layout *a) {
    const ll_shape told = ll_shape_told_(a);
    int names = ll_shape_same_names_(&told, &a->out);
    if (names && ll_shape_same_bits_(&told, &a->out)) {
        return;
    }
    ll_write_(w, " ->");
    for (unsigned k = 0; k < a->out.n; ++k) {
        const unsigned at = names ? a->out.n - 1u - k : k;
        ll_write_(w, k == 0 ? " " : names ? "x" : " | ");
        if (!names) {
            ll_write_name_(w, a->out.dim[at]);
            ll_write_char_(w, '=');
        }
        ll_write_number_(w, 1ull << a->out.bits[at]);
    }
}

#define LL_CASE_(arg, code, number, text)                                   \
    if ((arg) == (unsigned)(code)) {                                        \
        return text;                                                        \
    }

/* ll_strerror(err): returns the sentence of an error code.
 * Example: ll_strerror(LL_OK)[0] is 'n';
 */
LL_FN const char *ll_strerror(unsigned err) {
    LL_ERRORS(LL_CASE_, err)
    return err == LL_OK ? "no error" : "an unknown error";
}
#undef LL_CASE_

/* ll_str(a, buf, size): writes the text of a layout, which ll_parse reads back,
 * or the sentence of the error if the layout is invalid. Writes at most `size`
 * bytes with the final 0; returns the length of the whole text without it. */
LL_FN unsigned ll_str(ll_layout a, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    if (a.err) {
        ll_write_(&w, ll_strerror(a.err));
        return w.len;
    }
    for (unsigned k = 0; k < a.in.n; ++k) {
        ll_write_(&w, k ? " | " : "");
        ll_write_name_(&w, a.in.dim[k]);
        ll_write_char_(&w, ':');
        for (unsigned bit = 0; bit < a.in.bits[k]; ++bit) {
            ll_write_char_(&w, ' ');
            ll_write_column_(&w, &a.out,
                             a.basis[ll_shape_start_(&a.in, k) + bit]);
        }
    }
    if (a.offset) {
        ll_write_(&w, a.in.n ? " | 1: " : "1: ");
        ll_write_column_(&w, &a.out, a.offset);
    }
    ll_write_tail_(&w, &a);
    return w.len;
}

/* ---- layout/eliminate: Elimination ------------------------------------ */

/* One elimination answers every question of the algebra. Each vector is loaded
 * as a row together with its mix, a mask of the inputs that XOR to the row.
 * Elimination brings the rows to echelon form and updates the mixes. Rank,
 * inverse, solution, nullspace and intersection are then read off the rows. */

/* The solver. The low half of a row is a vector. The high half is its mix, a
 * mask of the loaded vectors that XOR to it. Elimination XORs rows into later
 * rows. Where a vector becomes 0, its mix names the vectors that cancel. */
#define LL_ECHELON_ROWS_ (3u * LL_MAX_BITS + 4u)
typedef struct ll_echelon_ {
    unsigned n;
    LL_ALIGN_(64)
    unsigned long long row[LL_ECHELON_ROWS_ + 1u]; /* last: overflow */
} ll_echelon_;

LL_FN void ll_echelon_load_(ll_echelon_ *r, unsigned vector, unsigned mix) {
    r->row[r->n] = (unsigned long long)mix << 32 | vector;
    r->n += r->n < LL_ECHELON_ROWS_ ? 1u : 0u;
}

LL_FN unsigned ll_echelon_vector_(const ll_echelon_ *r, unsigned k) {
    return (unsigned)r->row[k];
}

LL_FN unsigned ll_echelon_mix_(const ll_echelon_ *r, unsigned k) {
    return (unsigned)(r->row[k] >> 32);
}

/* Private: Gaussian elimination. Clears the pivot of each row from..to-1, in
 * order, in all later rows. Such a row is then 0 if and only if it depends on
 * earlier rows, and every row from `to` on is reduced by all of them. A mask
 * replaces a branch, because branches on random bits cost more than the work
 * they save. The loop is split at multiples of 8 so that each vector load reads
 * what a single store wrote; otherwise store forwarding stalls. (Saves a
 * quarter of ll_solve's time, 16x16.) */
LL_FN void ll_echelon_eliminate_(ll_echelon_ *r, unsigned from, unsigned to) {
    for (unsigned k = from; k < to; ++k) {
        const unsigned long long row = r->row[k];
        const unsigned pivot = (unsigned)row & (~(unsigned)row + 1u);
        const unsigned n = pivot ? r->n : 0u;
        unsigned m = k + 1u;
        for (; m < n && m % 8u; ++m) {
            r->row[m] ^= row & (0ull - ((r->row[m] & pivot) != 0));
        }
        for (; m < n; ++m) {
            r->row[m] ^= row & (0ull - ((r->row[m] & pivot) != 0));
        }
    }
}

/* Private: eliminates the rows and returns their rank. */
LL_FN unsigned ll_echelon_rank_(ll_echelon_ *r) {
    unsigned rank = 0;
    ll_echelon_eliminate_(r, 0, r->n);
    for (unsigned k = 0; k < r->n; ++k) {
        rank += ll_echelon_vector_(r, k) ? 1u : 0u;
    }
    return rank;
}

/* Private: returns columns from..to-1 as rows; mixes are their input bits. */
LL_FN ll_echelon_ ll_echelon_of_columns_(const ll_layout *a, unsigned from,
                                         unsigned to) {
    ll_echelon_ r = LL_ZERO;
    for (unsigned k = from; k < to; ++k) {
        ll_echelon_load_(&r, a->basis[k], 1u << k);
    }
    return r;
}

/* Private: returns all columns of a layout as eliminated rows. */
LL_FN ll_echelon_ ll_echelon_of_(const ll_layout *a) {
    ll_echelon_ r = ll_echelon_of_columns_(a, 0, ll_shape_bits_(&a->in));
    ll_echelon_eliminate_(&r, 0, r.n);
    return r;
}

/* Private: returns the output for x without the affine part. */
LL_FN unsigned ll_layout_linear_(const ll_layout *a, unsigned x) {
    unsigned y = 0;
    for (unsigned k = 0; k < LL_MAX_BITS && x >> k; ++k) {
        y ^= a->basis[k] & (0u - (x >> k & 1u));
    }
    return y;
}

/* Private: returns 1 if both shapes pack words alike, but for size 1. */
LL_FN int ll_shape_alike_(const ll_shape *a, const ll_shape *b) {
    unsigned p = 0;
    unsigned q = 0;
    while (p < a->n || q < b->n) {
        if (p < a->n && a->bits[p] == 0) {
            ++p;
        } else if (q < b->n && b->bits[q] == 0) {
            ++q;
        } else if (p < a->n && q < b->n && a->dim[p] == b->dim[q] &&
                   a->bits[p] == b->bits[q]) {
            ++p;
            ++q;
        } else {
            return 0;
        }
    }
    return 1;
}

/* Private: returns the layout with its outputs packed as in the shape `out`. */
LL_FN ll_layout ll_layout_onto_(ll_layout a, const ll_shape *out) {
    const ll_shape from = a.out;
    if (ll_shape_alike_(&from, out)) {
        a.out = *out;
        return a;
    }
    for (unsigned k = 0; k < ll_shape_bits_(&a.in); ++k) {
        a.basis[k] = ll_shape_repack_(a.basis[k], &from, out);
    }
    a.offset = ll_shape_repack_(a.offset, &from, out);
    a.out = *out;
    return a;
}

/* Private: returns a valid layout with inputs packed as in the shape `in`. */
LL_FN ll_layout ll_layout_from_(ll_layout a, const ll_shape *in) {
    if (ll_shape_alike_(&a.in, in)) {
        a.in = *in;
        return a;
    }
    ll_layout b = ll_zero(*in, a.out);
    b.offset = a.offset;
    for (unsigned k = 0; k < ll_shape_bits_(in); ++k) {
        b.basis[k] =
            ll_layout_linear_(&a, ll_shape_repack_(1u << k, in, &a.in));
    }
    return b;
}

/* ll_apply(a, x): returns the packed output for the packed input x; 0 if a is
 * invalid. Bits of x above the inputs are ignored.
 * Example: ll_apply(L("lane: i0 i1 | 1: i0"), 2) is 3;
 */
LL_FN unsigned ll_apply(ll_layout a, unsigned x) {
    return a.err
               ? 0u
               : a.offset ^
                     ll_layout_linear_(&a, x & ll_ones_(ll_shape_bits_(&a.in)));
}

/* ll_is_equal(a, b): returns 1 if both are valid and equal, shapes included.
 * Example: ll_is_equal(L("lane: i0"), L("lane: i0 -> 4")) is 0;
 */
LL_FN int ll_is_equal(ll_layout a, ll_layout b) {
    int same = !a.err && !b.err && a.offset == b.offset &&
               ll_shape_same_(&a.in, &b.in) && ll_shape_same_(&a.out, &b.out);
    for (unsigned k = 0; same && k < ll_shape_bits_(&a.in); ++k) {
        same = a.basis[k] == b.basis[k];
    }
    return same;
}

/* ---- layout/multiply: Products and quotients -------------------------- */

/* Products combine layouts side by side (ll_mul) or one after the other
 * (ll_compose). Quotients take them apart again. */

/* Private: returns the dimensions of a and b in an order that respects both,
 * a's first where there is a choice. Sizes of shared dimensions multiply. */
LL_FN ll_shape ll_merge_(const ll_shape *a, const ll_shape *b) {
    ll_shape s = LL_ZERO;
    unsigned p = 0;
    unsigned q = 0;
    while (!s.err && (p < a->n || q < b->n)) {
        unsigned in_b = p < a->n ? ll_shape_find_(b, a->dim[p]) : b->n;
        int shared = in_b < b->n;
        int take_a = p < a->n && (!shared || in_b == q);
        int take_b =
            !take_a && q < b->n && ll_shape_find_(a, b->dim[q]) == a->n;
        if (!take_a && !take_b) {
            return ll_shape_bad_(s, LL_EORDER);
        }
        unsigned bits = (take_a ? a->bits[p] : 0u) +
                        (take_b || shared ? b->bits[q] : 0u);
        s = ll_shape_add_(s, take_a ? a->dim[p] : b->dim[q], bits);
        p += take_a ? 1u : 0u;
        q += take_b || shared ? 1u : 0u;
    }
    return s;
}

/* Private: a packed word, split into a low and a high part. The lowest
 * low.bits[k] bits of dimension k go to the low part. */
typedef struct ll_halves_ {
    ll_shape all, low, high;
} ll_halves_;

LL_FN unsigned ll_halves_part_(const ll_halves_ *h, unsigned x, int high) {
    const ll_shape *to = high ? &h->high : &h->low;
    unsigned y = 0;
    for (unsigned k = 0; k < h->all.n; ++k) {
        unsigned part = ll_shape_field_(&h->all, k, x);
        part = high ? ll_shift_down_(part, h->low.bits[k])
                    : part & ll_ones_(h->low.bits[k]);
        y |= ll_shift_(part, ll_shape_start_(to, k));
    }
    return y;
}

/* Private: joins a low and a high part into one packed word. */
LL_FN unsigned ll_join_halves_(const ll_halves_ *h, unsigned low,
                               unsigned high) {
    unsigned x = 0;
    for (unsigned k = 0; k < h->all.n; ++k) {
        unsigned part = ll_shape_field_(&h->low, k, low) |
                        ll_shift_(ll_shape_field_(&h->high, k, high),
                                  h->low.bits[k]);
        x |= ll_shift_(part, ll_shape_start_(&h->all, k));
    }
    return x;
}

/* Private: splits the shape `all`. `part`, which must fit, gives the sizes of
 * the low (or high) part; a dimension that it lacks has size 1 there. */
LL_FN ll_halves_ ll_cut_(const ll_shape *all, const ll_shape *part,
                         int high) {
    ll_halves_ h = LL_ZERO;
    h.all = *all;
    h.low = *all;
    h.high = *all;
    for (unsigned k = 0; k < all->n; ++k) {
        unsigned at = ll_shape_find_(part, all->dim[k]);
        unsigned bits = at < part->n ? part->bits[at] : 0u;
        unsigned rest = all->bits[k] - bits;
        h.low.bits[k] = (unsigned short)(high ? rest : bits);
        h.high.bits[k] = (unsigned short)(high ? bits : rest);
    }
    return h;
}

/* ll_mul(a, b): returns the product, which builds a large layout from a tile
 * and its repetitions. Sizes of shared dimensions multiply: a takes the low
 * bits, b takes the high bits, and neither affects the other (block diagonal).
 * The dimensions are in an order that respects both, a's first where there is a
 * choice. (Paper, section 4, "Product".) Fails with LL_EORDER if no order
 * respects both, LL_EDIMS, LL_EBITS.
 * Example: ll_mul(L("register: j0 | lane: i0"), L("lane: j0 | warp: i0")) is
 *          L("register: j0 | lane: i0 j1 | warp: i1");
 */
LL_FN ll_layout ll_mul(ll_layout a, ll_layout b) {
    ll_layout bad = ll_layout_worst_(a, b);
    if (bad.err) {
        return bad;
    }
    ll_layout c = ll_zero(ll_merge_(&a.in, &b.in), ll_merge_(&a.out, &b.out));
    if (c.err) {
        return c;
    }
    const ll_halves_ in = ll_cut_(&c.in, &a.in, 0);
    const ll_halves_ out = ll_cut_(&c.out, &a.out, 0);
    const ll_shape a_out = out.low;
    const ll_shape b_out = out.high;
    a = ll_layout_onto_(a, &a_out);
    b = ll_layout_onto_(b, &b_out);
    for (unsigned k = 0; k < ll_shape_bits_(&c.in); ++k) {
        unsigned x =
            ll_shape_repack_(ll_halves_part_(&in, 1u << k, 0), &in.low, &a.in);
        unsigned y =
            ll_shape_repack_(ll_halves_part_(&in, 1u << k, 1), &in.high, &b.in);
        c.basis[k] = ll_join_halves_(&out, ll_layout_linear_(&a, x),
                                     ll_layout_linear_(&b, y));
    }
    c.offset = ll_join_halves_(&out, a.offset, b.offset);
    return c;
}

/* ll_compose(b, a): returns b after a. The outputs of a must be the inputs of
 * b, with the same names and no larger sizes. Fails with LL_EMATCH.
 * Example: ll_compose(L("i: x1 x0"), L("lane: i0^i1 i1")) is
 *          L("lane: x0^x1 x0");
 */
LL_FN ll_layout ll_compose(ll_layout b, ll_layout a) {
    ll_layout c = ll_layout_worst_(a, b);
    if (c.err) {
        return c;
    }
    c = ll_zero(a.in, b.out);
    if (!ll_shape_fits_(&a.out, &b.in, 1)) {
        return ll_layout_bad_(c, LL_EMATCH);
    }
    for (unsigned k = 0; k < ll_shape_bits_(&a.in); ++k) {
        c.basis[k] =
            ll_layout_linear_(&b, ll_shape_repack_(a.basis[k], &a.out, &b.in));
    }
    c.offset = b.offset ^
               ll_layout_linear_(&b, ll_shape_repack_(a.offset, &a.out, &b.in));
    return c;
}

/* Private: returns the quotient of a by a tile in its low (or high) bits. */
LL_FN ll_layout ll_divide_(ll_layout a, ll_layout t, int high) {
    ll_layout c = ll_layout_worst_(a, t);
    if (c.err) {
        return c;
    }
    if (!ll_shape_fits_(&t.in, &a.in, 0) ||
        !ll_shape_fits_(&t.out, &a.out, 0)) {
        return ll_layout_bad_(ll_zero(a.in, a.out), LL_ENOTILE);
    }
    const ll_halves_ in = ll_cut_(&a.in, &t.in, high);
    const ll_halves_ out = ll_cut_(&a.out, &t.out, high);
    const ll_shape *tile_out = high ? &out.high : &out.low;
    c = ll_zero(high ? in.low : in.high, high ? out.low : out.high);
    int ok = ll_shape_repack_(ll_halves_part_(&out, a.offset, high), tile_out,
                              &t.out) == t.offset;
    c.offset = ll_halves_part_(&out, a.offset, !high);
    for (unsigned k = 0; k < ll_shape_bits_(&a.in); ++k) {
        unsigned tile = ll_halves_part_(&in, 1u << k, high);
        unsigned rest = ll_halves_part_(&in, 1u << k, !high);
        unsigned x = ll_shape_repack_(tile, high ? &in.high : &in.low, &t.in);
        unsigned y = ll_shape_repack_(ll_halves_part_(&out, a.basis[k], high),
                                      tile_out, &t.out);
        unsigned z = ll_halves_part_(&out, a.basis[k], !high);
        ok = ok && y == ll_layout_linear_(&t, x) && (rest || z == 0);
        for (unsigned m = 0; rest && m < LL_MAX_BITS; ++m) {
            c.basis[m] = rest == 1u << m ? z : c.basis[m];
        }
    }
    return ok ? c : ll_layout_bad_(c, LL_ENOTILE);
}

/* ll_div(a, t): left division. Returns the layout c with a = ll_mul(t, c):
 * removes tile t from the low bits of a and renumbers the others from 0. An
 * instruction with the tile t can move a exactly if c is valid. (Paper, section
 * 4, "Left Division", and section 5.3.) ll_rdiv(a, t) removes t from the high
 * bits: a = ll_mul(c, t). Both keep all dimensions of a. Fail with LL_ENOTILE.
 * Example: ll_div(L("register: j0 j1 | lane: i0"), L("register: j0")) is
 *          L("register: j0 | lane: i0");
 * Example: ll_rdiv(L("register: j0 j1 | lane: i0"), L("register: j0")) is
 *          L("register: j0 | lane: i0");
 * Example: ll_div(L("register: j1 j0"), L("register: j0")).err is LL_ENOTILE;
 */
LL_FN ll_layout ll_div(ll_layout a, ll_layout t) {
    return ll_divide_(a, t, 0);
}

LL_FN ll_layout ll_rdiv(ll_layout a, ll_layout t) {
    return ll_divide_(a, t, 1);
}

/* ---- layout/solve: Equations and inverses ----------------------------- */

/* One elimination solves b x = a, as in ll_solve(b, a). Inverses are solutions;
 * nullspaces and images come from the same elimination. */

/* Which preimage ll_solve chooses if there are several. */
enum {
    LL_FIRST, /* use the first independent columns only */
    LL_LIGHT, /* the fewest bits */
    LL_LOCAL  /* same lane if possible, else warp, else block; then LL_LIGHT */
};

/* Private: inputs that map to 0 and can make a preimage lighter. Inputs with a
 * zero column of their own cannot and are left out. */
typedef struct ll_relations_ {
    unsigned n;
    unsigned mix[LL_MAX_BITS];
} ll_relations_;

LL_FN void ll_relations_find_(ll_relations_ *r, const ll_echelon_ *rows,
                              const ll_layout *b, unsigned from, unsigned to) {
    for (unsigned k = from; k < to; ++k) {
        if (ll_echelon_vector_(rows, k) == 0 && b->basis[k]) {
            r->mix[r->n] = ll_echelon_mix_(rows, k);
            ++r->n;
        }
    }
}

/* Private: returns an XOR of x and relations that has few bits. Up to ten
 * relations: tries all XORs, in Gray code order. More: adds them greedily. */
LL_FN unsigned ll_relations_lighten_(const ll_relations_ *r, unsigned x) {
    unsigned best = x;
    if (r->n <= 10u) {
        for (unsigned g = 1; g < 1u << r->n; ++g) {
            unsigned flip = 0;
            while (!(g >> flip & 1u)) {
                ++flip;
            }
            x ^= r->mix[flip];
            best = ll_popcount_(x) < ll_popcount_(best) ? x : best;
        }
        return best;
    }
    for (unsigned again = 1; again;) {
        again = 0;
        for (unsigned k = 0; k < r->n; ++k) {
            if (ll_popcount_(best ^ r->mix[k]) < ll_popcount_(best)) {
                best ^= r->mix[k];
                again = 1;
            }
        }
    }
    return best;
}

/* Private: ll_wanted_ returns column k of the n columns to solve for; for k =
 * n, the affine part. ll_solve_answer_ returns where its preimage is stored. */
LL_FN unsigned ll_wanted_(const ll_layout *b, const ll_layout *a, unsigned k,
                          unsigned n) {
    return k < n ? a->basis[k] : a->offset ^ b->offset;
}

LL_FN unsigned *ll_solve_answer_(ll_layout *x, unsigned k, unsigned n) {
    return k < n ? &x->basis[k] : &x->offset;
}

/* Private: solves for the columns and the offset of a under b, close to home:
 * each preimage differs from its bit's own place only in the fewest possible
 * leading dimensions of b. The bit stays set if it lies beyond them; their
 * columns supply the rest. Returns 0 if every column has a preimage. */
LL_FN unsigned ll_solve_near_(const ll_layout *b, const ll_layout *a,
                              ll_layout *x) {
    ll_echelon_ r = ll_echelon_of_columns_(b, 0, ll_shape_bits_(&b->in));
    ll_relations_ light = LL_ZERO;
    const unsigned cols = r.n;
    const unsigned n = ll_shape_bits_(&a->in);
    const int alike = ll_shape_alike_(&a->in, &b->in);
    unsigned home[LL_MAX_BITS + 1u] = LL_ZERO; /* each bit's own place in b */
    unsigned long long open = ((unsigned long long)1 << (n + 1u)) - 1u;
    unsigned reached = 0;
    for (unsigned k = 0; k <= n; ++k) {
        unsigned y = ll_wanted_(b, a, k, n);
        if (k < n) { /* the affine part has no place */
            home[k] =
                alike ? 1u << k : ll_shape_repack_(1u << k, &a->in, &b->in);
        }
        ll_echelon_load_(&r, y, 0);
        ll_echelon_load_(&r, y ^ ll_layout_linear_(b, home[k]), home[k]);
    }
    for (unsigned d = 0; d == 0 || d < b->in.n; ++d) {
        unsigned to = reached + (d < b->in.n ? b->in.bits[d] : 0u);
        ll_echelon_eliminate_(&r, reached, to);
        ll_relations_find_(&light, &r, b, reached, to);
        reached = to;
        for (unsigned k = 0; k <= n; ++k) {
            unsigned keep = home[k] & ~ll_ones_(reached);
            unsigned at = cols + 2u * k + (keep ? 1u : 0u);
            if ((open >> k & 1u) && ll_echelon_vector_(&r, at) == 0) {
                *ll_solve_answer_(x, k, n) =
                    ll_relations_lighten_(&light, ll_echelon_mix_(&r, at));
                open &= ~((unsigned long long)1 << k);
            }
        }
    }
    return open ? 1u : 0u;
}

/* Private: solves for any place. Returns 0 if every column has a preimage. */
LL_FN unsigned ll_solve_any_(const ll_layout *b, const ll_layout *a, int light,
                             ll_layout *x) {
    ll_echelon_ r = ll_echelon_of_columns_(b, 0, ll_shape_bits_(&b->in));
    ll_relations_ zero = LL_ZERO;
    const unsigned cols = r.n;
    const unsigned n = ll_shape_bits_(&a->in);
    const unsigned wanted = n + (a->offset == b->offset ? 0u : 1u);
    unsigned left = 0;
    for (unsigned k = 0; k < wanted; ++k) {
        ll_echelon_load_(&r, ll_wanted_(b, a, k, n), 0);
    }
    ll_echelon_eliminate_(&r, 0, cols);
    if (light) {
        ll_relations_find_(&zero, &r, b, 0, cols);
    }
    for (unsigned k = 0; k < wanted; ++k) {
        const unsigned mix = ll_echelon_mix_(&r, cols + k);
        *ll_solve_answer_(x, k, n) =
            light ? ll_relations_lighten_(&zero, mix) : mix;
        left |= ll_echelon_vector_(&r, cols + k);
    }
    return left;
}

/* ll_solve(b, a, policy): returns an x with b(x(p)) = a(p): it maps each input
 * of a to an input of b with the same element. For two distributed layouts, x
 * tells where to fetch each register of a. The policy chooses if several inputs
 * of b hold an element. LL_FIRST uses only columns of b that are independent of
 * earlier columns. LL_LIGHT takes the fewest bits. LL_LOCAL stays in the same
 * lane if possible, else in the same warp, else in the same block, and then
 * takes the fewest bits. (Paper, section 5.4.) Fails with LL_EMATCH,
 * LL_ENOSOLUTION.
 * Example: ll_solve(L("lane: i0 i1"), L("warp: i1 i0"), LL_FIRST) is
 *          L("warp: lane1 lane0");
 * Example: ll_solve(L("lane: i0 | warp: 0"), L("lane: i0 | warp: 0"),
 *                   LL_LOCAL) is L("lane: lane0 | warp: warp0");
 * Example: ll_solve(L("lane: i0 | warp: 0"), L("lane: i0 | warp: 0"),
 *                   LL_FIRST) is L("lane: lane0 | warp: 0 -> lane=2 | warp=2");
 */
LL_FN ll_layout ll_solve(ll_layout b, ll_layout a, unsigned policy) {
    ll_layout x = LL_ZERO;
    if (b.err || a.err) {
        return ll_layout_worst_(b, a);
    }
    x.in = a.in;
    x.out = b.in;
    if (!ll_shape_same_(&a.out, &b.out)) {
        if (!ll_shape_fits_(&a.out, &b.out, 1)) {
            return ll_layout_bad_(x, LL_EMATCH);
        }
        a = ll_layout_onto_(a, &b.out);
    }
    unsigned left = policy == LL_LOCAL
                        ? ll_solve_near_(&b, &a, &x)
                        : ll_solve_any_(&b, &a, policy == LL_LIGHT, &x);
    x.err = left ? (unsigned)LL_ENOSOLUTION : (unsigned)LL_OK;
    return x;
}

/* Private: returns the identity from a shape to itself. */
LL_FN ll_layout ll_shape_identity_(const ll_shape *s) {
    ll_layout a = ll_zero(*s, *s);
    for (unsigned k = 0; k < ll_shape_bits_(s) && k < LL_MAX_BITS; ++k) {
        a.basis[k] = 1u << k;
    }
    return a;
}

/* ll_rank(a): returns the rank of the matrix; 0 if a is invalid.
 * Example: ll_rank(L("lane: i0 0 i0")) is 1;
 */
LL_FN unsigned ll_rank(ll_layout a) {
    ll_echelon_ r =
        ll_echelon_of_columns_(&a, 0, a.err ? 0u : ll_shape_bits_(&a.in));
    return ll_echelon_rank_(&r);
}

/* ll_inv(a): returns the inverse of a. Fails with LL_ESINGULAR.
 * Example: ll_inv(L("lane: i0 i0^i1")) is L("i: lane0 lane0^lane1");
 * Example: ll_inv(L("lane: i0 i0 -> 4")).err is LL_ESINGULAR;
 */
LL_FN ll_layout ll_inv(ll_layout a) {
    const ll_layout x = ll_solve(a, ll_shape_identity_(&a.out), LL_FIRST);
    return x.err || ll_shape_bits_(&a.in) != ll_shape_bits_(&a.out)
               ? ll_layout_bad_(a, LL_ESINGULAR)
               : x;
}

/* ll_rinv(a): returns a right inverse with few bits: one place for each
 * element. The number of bits is minimal, here and for LL_LIGHT and LL_LOCAL,
 * if at most ten nonzero columns depend on earlier columns. (Paper, section 4,
 * "Right Inverse".) Fails with LL_ENOTONTO.
 * Example: ll_rinv(L("register: i0^i1 i0 i1")) is
 *          L("i: register1 register2 -> register=8");
 */
LL_FN ll_layout ll_rinv(ll_layout a) {
    const ll_layout x = ll_solve(a, ll_shape_identity_(&a.out), LL_LIGHT);
    return x.err ? ll_layout_bad_(a, LL_ENOTONTO) : x;
}

/* ll_pinv(a): returns a pseudo-inverse g, which every layout has: a(g(y)) = y
 * for each y that a reaches. It uses only columns of a that are independent of
 * earlier columns and keeps the affine part: g(a(0)) = 0.
 * Example: ll_pinv(L("lane: i1 i1")) is L("i: 0 lane0 -> lane=4");
 */
LL_FN ll_layout ll_pinv(ll_layout a) {
    if (a.err) {
        return a;
    }
    ll_echelon_ r = ll_echelon_of_columns_(&a, 0, ll_shape_bits_(&a.in));
    const unsigned cols = r.n;
    ll_layout g = ll_zero(a.out, a.in);
    for (unsigned k = 0; k < ll_shape_bits_(&a.out); ++k) {
        ll_echelon_load_(&r, 1u << k, 0);
    }
    ll_echelon_eliminate_(&r, 0, cols);
    for (unsigned k = 0; k < ll_shape_bits_(&a.out); ++k) {
        g.basis[k] = ll_echelon_mix_(&r, cols + k);
    }
    g.offset = ll_layout_linear_(&g, a.offset);
    return g;
}

#define LL_BASIS ((ll_dim)0x0814c94c0000000)

/* ll_nullspace(a): returns a basis of the inputs that the linear part of a maps
 * to 0, as a layout from `basis` to the inputs of a. ll_image(a): in the same
 * form, a basis of the outputs that it reaches.
 * Example: ll_nullspace(L("lane: i0 i1 i0")) is L("basis: lane0^lane2 -> 8");
 * Example: ll_image(L("lane: i0 0 i0 -> 4")) is L("basis: i0 -> 4");
 */
LL_FN ll_layout ll_nullspace(ll_layout a) {
    const ll_shape none = LL_ZERO;
    ll_layout k = ll_zero(ll_shape_add_(none, LL_BASIS, 0), a.in);
    const ll_echelon_ r = ll_echelon_of_(&a);
    for (unsigned c = 0; c < r.n; ++c) {
        if (ll_echelon_vector_(&r, c) == 0) {
            k.basis[k.in.bits[0]] = ll_echelon_mix_(&r, c);
            ++k.in.bits[0];
        }
    }
    return a.err ? a : k;
}

LL_FN ll_layout ll_image(ll_layout a) {
    const ll_shape none = LL_ZERO;
    ll_layout i = ll_zero(ll_shape_add_(none, LL_BASIS, 0), a.out);
    const ll_echelon_ r = ll_echelon_of_(&a);
    for (unsigned c = 0; c < r.n; ++c) {
        if (ll_echelon_vector_(&r, c)) {
            i.basis[i.in.bits[0]] = a.basis[c];
            ++i.in.bits[0];
        }
    }
    return a.err ? a : i;
}

/* ---- layout/rename: Shape surgery ------------------------------------- */

/* Shape surgery. These functions change how bits are named, ordered and
 * grouped, not where elements are. A `list` is a text of names. Names that the
 * layout lacks fail with LL_EMISSING. */

/* Private: returns the listed dimensions of s, in the order of s or list. */
LL_FN ll_shape ll_shape_listed_(const ll_shape *s, const char *list,
                                int in_order) {
    const ll_shape l = ll_shape_of(list);
    ll_shape t = LL_ZERO;
    t.err = l.err;
    for (unsigned k = 0; k < l.n; ++k) {
        if (ll_shape_find_(s, l.dim[k]) == s->n) {
            t.value = t.err ? t.value : (unsigned)(l.dim[k] >> 30);
            t = ll_shape_bad_(t, LL_EMISSING);
        }
    }
    const ll_shape *order = in_order ? s : &l;
    for (unsigned k = 0; !t.err && k < order->n; ++k) {
        unsigned at = ll_shape_find_(s, order->dim[k]);
        if (ll_shape_find_(&l, order->dim[k]) < l.n) {
            t = ll_shape_add_(t, s->dim[at], s->bits[at]);
        }
    }
    return t;
}

/* ll_sub(a, ins, outs): returns the part of a from the listed inputs to the
 * listed outputs, in the order of a.
 * Example: ll_sub(L("register: j0 | lane: i0^j1"), "lane", "i") is
 *          L("lane: i0");
 */
LL_FN ll_layout ll_sub(ll_layout a, const char *ins, const char *outs) {
    const ll_shape in = ll_shape_listed_(&a.in, ins, 1);
    const ll_shape out = ll_shape_listed_(&a.out, outs, 1);
    ll_layout b = ll_layout_bad_shape_(ll_layout_bad_shape_(a, &in), &out);
    return b.err ? b : ll_layout_onto_(ll_layout_from_(a, &in), &out);
}

/* ll_order_in(a, list), ll_order_out(a, list): put inputs or outputs in list
 * order, fastest first. The list names all of them. Fail with LL_EMATCH.
 * Example: ll_order_out(L("lane: i0 j0"), "i j") is
 *          L("lane: i0 j0 -> i=2 | j=2");
 */
LL_FN ll_layout ll_order_in(ll_layout a, const char *list) {
    const ll_shape s = ll_shape_listed_(&a.in, list, 0);
    ll_layout b = ll_layout_bad_shape_(a, &s);
    b = s.n == a.in.n ? b : ll_layout_bad_(b, LL_EMATCH);
    return b.err ? b : ll_layout_from_(a, &s);
}

LL_FN ll_layout ll_order_out(ll_layout a, const char *list) {
    const ll_shape s = ll_shape_listed_(&a.out, list, 0);
    ll_layout b = ll_layout_bad_shape_(a, &s);
    b = s.n == a.out.n ? b : ll_layout_bad_(b, LL_EMATCH);
    return b.err ? b : ll_layout_onto_(a, &s);
}

/* ll_reshape_in(a, s), ll_reshape_out(a, s): return a with its packed inputs or
 * outputs divided into the dimensions of s. Fail with LL_ETOTAL.
 * Example: ll_reshape_out(L("lane: i0 i1 i2"), ll_shape_of("j=2 i=4")) is
 *          L("lane: j0 i0 i1");
 */
LL_FN ll_layout ll_reshape_in(ll_layout a, ll_shape s) {
    a = ll_layout_bad_shape_(a, &s);
    if (a.err || ll_shape_bits_(&s) != ll_shape_bits_(&a.in)) {
        return ll_layout_bad_(a, LL_ETOTAL);
    }
    a.in = s;
    return a;
}

LL_FN ll_layout ll_reshape_out(ll_layout a, ll_shape s) {
    a = ll_layout_bad_shape_(a, &s);
    if (a.err || ll_shape_bits_(&s) != ll_shape_bits_(&a.out)) {
        return ll_layout_bad_(a, LL_ETOTAL);
    }
    a.out = s;
    return a;
}

/* Private: returns a shape with all bits of s in one dimension d. */
LL_FN ll_shape ll_shape_flat_(const ll_shape *s, ll_dim d) {
    const ll_shape none = LL_ZERO;
    return ll_shape_add_(none, d, ll_shape_bits_(s));
}

/* ll_flatten_in(a, d), ll_flatten_out(a, d): merge inputs or outputs into d.
 * Example: ll_flatten_out(L("lane: j0 i0"), LL_OFFSET) is
 *          L("lane: offset0 offset1");
 */
LL_FN ll_layout ll_flatten_in(ll_layout a, ll_dim d) {
    return ll_reshape_in(a, ll_shape_flat_(&a.in, d));
}

LL_FN ll_layout ll_flatten_out(ll_layout a, ll_dim d) {
    return ll_reshape_out(a, ll_shape_flat_(&a.out, d));
}

/* Private: returns the shape with some of its dimensions renamed. */
LL_FN ll_shape ll_renamed_(const ll_shape *s, const char *from,
                           const char *to) {
    const ll_shape old = ll_shape_listed_(s, from, 0);
    const ll_shape now = ll_shape_of(to);
    ll_shape t = LL_ZERO;
    t = ll_shape_bad_(ll_shape_bad_(t, old.err), now.err);
    t = old.n == now.n ? t : ll_shape_bad_(t, LL_EMATCH);
    for (unsigned k = 0; !t.err && k < s->n; ++k) {
        unsigned at = ll_shape_find_(&old, s->dim[k]);
        t = ll_shape_add_(t, at < old.n ? now.dim[at] : s->dim[k], s->bits[k]);
    }
    return t;
}

/* ll_rename_in(a, from, to), ll_rename_out: return a with dimensions renamed,
 * all at once, so that names can be exchanged. Fail with LL_EMATCH, LL_ETWICE.
 * Example: ll_rename_out(L("lane: i0 j0"), "i j", "j i") is
 *          L("lane: j0 i0 -> i=2 | j=2");
 */
LL_FN ll_layout ll_rename_in(ll_layout a, const char *from, const char *to) {
    const ll_shape s = ll_renamed_(&a.in, from, to);
    return s.err || a.err ? ll_layout_bad_shape_(a, &s) : ll_reshape_in(a, s);
}

LL_FN ll_layout ll_rename_out(ll_layout a, const char *from, const char *to) {
    const ll_shape s = ll_renamed_(&a.out, from, to);
    return s.err || a.err ? ll_layout_bad_shape_(a, &s) : ll_reshape_out(a, s);
}

/* Private: returns the shape with one size changed; adds d if absent. */
LL_FN ll_shape ll_shape_resized_(ll_shape s, ll_dim d, unsigned size) {
    unsigned k = ll_shape_find_(&s, d);
    unsigned bits = ll_log2_(size);
    if (k == s.n) {
        return ll_with(s, d, size);
    }
    s.bits[k] = (unsigned short)(bits < 32u ? bits : 0u);
    s.value = bits < 32u ? 0u : size;
    return bits >= 32u                   ? ll_shape_bad_(s, LL_ESIZE)
           : ll_shape_start_(&s, s.n) > LL_MAX_BITS ? ll_shape_bad_(s, LL_EBITS)
                                         : s;
}

/* ll_resize_in(a, d, size): returns a with another size of input d. A smaller
 * size drops the high bits, a larger size adds copies; an absent d is added.
 * ll_resize_out: cuts output d to its low bits, or enlarges its space.
 * Example: ll_resize_in(L("lane: i0 i1"), LL_LANE, 2) is L("lane: i0 -> 4");
 * Example: ll_resize_out(L("lane: i0 i1"), LL_I, 2) is L("lane: i0 0");
 */
LL_FN ll_layout ll_resize_in(ll_layout a, ll_dim d, unsigned size) {
    const ll_shape s = ll_shape_resized_(a.in, d, size);
    return s.err || a.err ? ll_layout_bad_shape_(a, &s)
                          : ll_layout_from_(a, &s);
}

LL_FN ll_layout ll_resize_out(ll_layout a, ll_dim d, unsigned size) {
    const ll_shape s = ll_shape_resized_(a.out, d, size);
    return s.err || a.err ? ll_layout_bad_shape_(a, &s)
                          : ll_layout_onto_(a, &s);
}

/* Private: returns the dimensions of a, then the dimensions of b. */
LL_FN ll_shape ll_both_(ll_shape a, const ll_shape *b) {
    for (unsigned k = 0; k < b->n; ++k) {
        a = ll_shape_add_(a, b->dim[k], b->bits[k]);
    }
    return a;
}

/* ll_concat_in(a, b): appends the inputs of b to the inputs of a.
 * ll_concat_out(a, b): appends the outputs of b to the outputs of a. The other
 * side must be equal. Fail with LL_EMATCH, LL_ETWICE, LL_EBITS.
 * Example: ll_concat_in(L("lane: i0 -> 4"), L("warp: i1")) is
 *          L("lane: i0 | warp: i1");
 * Example: ll_concat_out(L("lane: i0"), L("lane: j0")) is
 *          L("lane: i0^j0 -> i=2 | j=2");
 */
LL_FN ll_layout ll_concat_in(ll_layout a, ll_layout b) {
    ll_layout c = ll_layout_worst_(a, b);
    if (c.err || !ll_shape_fits_both_(&a.out, &b.out)) {
        return ll_layout_bad_(c, LL_EMATCH);
    }
    const ll_shape out = a.out;
    b = ll_layout_onto_(b, &out);
    c = ll_zero(ll_both_(a.in, &b.in), out);
    unsigned n = ll_shape_bits_(&a.in);
    for (unsigned k = 0; !c.err && k < ll_shape_bits_(&c.in); ++k) {
        c.basis[k] = k < n ? a.basis[k] : b.basis[k - n];
    }
    c.offset = a.offset ^ b.offset;
    return c;
}

LL_FN ll_layout ll_concat_out(ll_layout a, ll_layout b) {
    ll_layout c = ll_layout_worst_(a, b);
    if (c.err || !ll_shape_fits_both_(&a.in, &b.in)) {
        return ll_layout_bad_(c, LL_EMATCH);
    }
    const ll_shape in = a.in;
    b = ll_layout_from_(b, &in);
    c = ll_zero(in, ll_both_(a.out, &b.out));
    unsigned n = ll_shape_bits_(&a.out);
    for (unsigned k = 0; !c.err && k < ll_shape_bits_(&in); ++k) {
        c.basis[k] = a.basis[k] | ll_shift_(b.basis[k], n);
    }
    c.offset = a.offset | ll_shift_(b.offset, n);
    return c;
}

/* ll_flip(a, d, x): returns a with coordinate d replaced by d ^ x. If all bits
 * of x are set, the axis is reversed; if one bit is, it starts at that power of
 * two. Fails with LL_EMISSING, LL_ERANGE.
 * Example: ll_flip(L("lane: i0 i1"), LL_I, 3) is
 *          L("lane: i0 i1 | 1: i0^i1");
 */
LL_FN ll_layout ll_flip(ll_layout a, ll_dim d, unsigned x) {
    unsigned at = ll_shape_find_(&a.out, d);
    if (a.err || at == a.out.n) {
        return ll_layout_lacking_(a, d);
    }
    if (x & ~ll_ones_(a.out.bits[at])) {
        return ll_layout_bad_(a, LL_ERANGE);
    }
    a.offset ^= ll_pack(a.out, d, x);
    return a;
}

/* ---- layout/permute: Permutations of bits ----------------------------- */

/* A permutation reorders bits of an input; a map is a layout in shifts. */

/* A selection and order of bits: new bit k is old bit bit[k]. Applied to the
 * registers of a lane, it renumbers them. */
typedef struct ll_perm {
    unsigned err;
    unsigned n; /* number of new bits */
    unsigned of; /* number of old bits */
    unsigned bit[LL_MAX_BITS];
} ll_perm;

/* ll_perm_of(of, n, bits): returns the permutation that takes n of `of` bits,
 * in the order bits[0], bits[1], .. and drops the others. ll_permute(a, d, p):
 * applies p to input d of a. ll_perm_inv(p): returns the inverse.
 * ll_perm_then(p, q): returns p, then q. ll_perm_index(p, i): returns the old
 * number of new number i. Fail with LL_EPERM, ll_permute also with LL_EMISSING.
 * Example: ll_permute(L("register: j0 j1"), LL_REGISTER,
 *                     ll_perm_swap(2, 0, 1)) is L("register: j1 j0");
 * Example: ll_perm_index(ll_perm_swap(3, 0, 2), 4) is 1;
 */
LL_FN ll_perm ll_perm_of(unsigned of, unsigned n, const unsigned *bits) {
    ll_perm p = LL_ZERO;
    unsigned seen = 0;
    p.err = of > LL_MAX_BITS || n > of ? LL_EPERM
            : n && !bits               ? LL_ENULL
                                       : LL_OK;
    p.of = p.err ? 0u : of;
    p.n = p.err ? 0u : n;
    for (unsigned k = 0; !p.err && k < n; ++k) {
        p.bit[k] = bits[k];
        if (bits[k] >= of || seen >> bits[k] & 1u) {
            p.err = LL_EPERM;
        } else {
            seen |= 1u << bits[k];
        }
    }
    return p;
}

/* ll_perm_swap(n, a, b): returns the permutation of n bits that swaps a, b. */
LL_FN ll_perm ll_perm_swap(unsigned n, unsigned a, unsigned b) {
    unsigned bits[LL_MAX_BITS] = LL_ZERO;
    for (unsigned k = 0; k < n && k < LL_MAX_BITS; ++k) {
        bits[k] = k == a ? b : k == b ? a : k;
    }
    return ll_perm_of(n, a < n && b < n ? n : n + 1u, bits);
}

LL_FN unsigned ll_perm_index(ll_perm p, unsigned i) {
    unsigned x = 0;
    for (unsigned k = 0; !p.err && k < p.n; ++k) {
        x |= (i >> k & 1u) << p.bit[k];
    }
    return x;
}

LL_FN ll_perm ll_perm_inv(ll_perm p) {
    ll_perm q = p;
    for (unsigned k = 0; !p.err && k < p.n; ++k) {
        q.bit[p.bit[k]] = k;
    }
    q.err = p.err == LL_OK && p.n != p.of ? (unsigned)LL_EPERM : p.err;
    return q;
}

LL_FN ll_perm ll_perm_then(ll_perm p, ll_perm q) {
    ll_perm r = q;
    r.of = p.of;
    r.err = p.err ? p.err : q.err;
    for (unsigned k = 0; !r.err && k < q.n; ++k) {
        r.bit[k] = q.of == p.n ? p.bit[q.bit[k]] : 0u;
    }
    r.err = r.err == LL_OK && q.of != p.n ? (unsigned)LL_EPERM : r.err;
    return r;
}

LL_FN ll_layout ll_permute(ll_layout a, ll_dim d, ll_perm p) {
    unsigned at = ll_shape_find_(&a.in, d);
    a = ll_layout_bad_(a, p.err);
    a = at < a.in.n ? a : ll_layout_lacking_(a, d);
    if (a.err || p.of != a.in.bits[at] || p.n > p.of) {
        return ll_layout_bad_(a, LL_EPERM);
    }
    ll_layout b = a;
    unsigned start = ll_shape_start_(&a.in, at);
    b.in.bits[at] = (unsigned short)p.n;
    for (unsigned k = 0; k < ll_shape_bits_(&b.in); ++k) {
        b.basis[k] = k < start ? a.basis[k]
                     : k < start + p.n
                         ? a.basis[start + p.bit[k - start]]
                         : a.basis[k - p.n + p.of];
    }
    return b;
}

/* A layout prepared for kernels: y is the XOR of `offset` and, for each k, of
 * (x & mask[k]) shifted left by shift[k] bits (right if negative). There is one
 * term per distance that bits move; practical layouts have few terms. */
#define LL_MAX_TERMS (2 * LL_MAX_BITS - 1)
typedef struct ll_map {
    unsigned n;
    unsigned mask[LL_MAX_TERMS];
    int shift[LL_MAX_TERMS];
    unsigned offset;
} ll_map;

/* ll_map_of(a): returns the map for kernels from the packed inputs of a to its
 * packed outputs; empty if a is invalid. ll_map_at(m, x): returns the value of
 * the map at x. In a kernel m is a compile-time constant, and ll_map_at
 * compiles to an AND, a shift and an XOR per term.
 * Example: ll_map_of(L("offset: j0 j1 i0^j0 i1^j1")).n is 2;
 * Example: ll_map_at(ll_map_of(L("lane: i1 i0")), 1) is 2;
 */
LL_FN ll_map ll_map_of(ll_layout a) {
    ll_map m = LL_ZERO;
    unsigned n = a.err ? 0u : ll_shape_bits_(&a.in);
    unsigned long long shifts = 0; /* bit 31 + by: some bit moves by `by` */
    for (unsigned k = 0; k < n; ++k) {
        shifts |= (unsigned long long)a.basis[k] << (31u - k);
    }
    for (int by = -31; shifts; ++by, shifts >>= 1) {
        unsigned mask = 0;
        for (unsigned k = 0; (shifts & 1u) && k < n; ++k) {
            int to = (int)k + by;
            mask |= to >= 0 && to < 32 && (a.basis[k] >> to & 1u) ? 1u << k
                                                                  : 0u;
        }
        if (mask) {
            m.mask[m.n] = mask;
            m.shift[m.n] = by;
            ++m.n;
        }
    }
    m.offset = a.err ? 0u : a.offset;
    return m;
}

LL_FN unsigned ll_map_at(const ll_map m, unsigned x) {
    unsigned y = m.offset;
    LL_UNROLL
    for (unsigned k = 0; k < m.n; ++k) {
        int by = m.shift[k];
        y ^= by >= 0 ? (x & m.mask[k]) << by : (x & m.mask[k]) >> -by;
    }
    return y;
}

/* Private: returns the input bits that some term of the map uses. */
LL_FN unsigned ll_map_used_(const ll_map *m) {
    unsigned all = 0;
    for (unsigned k = 0; k < m->n; ++k) {
        all |= m->mask[k];
    }
    return all;
}

/* Private: returns the XOR of the vectors of[k], k < n, with bit k set in p. */
LL_FN unsigned ll_vectors_xor_(const unsigned *of, unsigned n, unsigned p) {
    unsigned x = 0;
    LL_UNROLL
    for (unsigned k = 0; k < n; ++k) {
        x ^= p >> k & 1u ? of[k] : 0u;
    }
    return x;
}

/* ---- layout/questions: Questions -------------------------------------- */

/* Questions about a layout: Do two inputs hold the same element? Is every
 * element held? Which elements are contiguous? Each answer comes from a rank or
 * a mask, never from a loop over elements. */

/* ll_is_injective(a): returns 1 if no two inputs hold the same element.
 * ll_is_surjective(a): returns 1 if every element is held. ll_is_invertible(a):
 * returns 1 if a is both. All return 0 if a is invalid.
 * Example: ll_is_injective(L("lane: i0 0")) is 0;
 * Example: ll_is_surjective(L("lane: i0 0")) is 1;
 */
LL_FN int ll_is_injective(ll_layout a) {
    return !a.err && ll_rank(a) == ll_shape_bits_(&a.in);
}

LL_FN int ll_is_surjective(ll_layout a) {
    return !a.err && ll_rank(a) == ll_shape_bits_(&a.out);
}

LL_FN int ll_is_invertible(ll_layout a) {
    return ll_is_injective(a) && ll_is_surjective(a);
}

/* ll_is_distributed(a): returns 1 if every element is held, each column has at
 * most one bit, no nonzero column occurs twice, and there is no affine part.
 * (Paper, section 4, "Distributed Layout".)
 * Example: ll_is_distributed(L("register: j0 0 | lane: i0")) is 1;
 * Example: ll_is_distributed(L("register: j0 | lane: i0^j0")) is 0;
 */
LL_FN int ll_is_distributed(ll_layout a) {
    unsigned seen = 0;
    int ok = !a.err && a.offset == 0;
    for (unsigned k = 0; ok && k < ll_shape_bits_(&a.in); ++k) {
        ok = ll_popcount_(a.basis[k]) <= 1u && !(seen & a.basis[k]);
        seen |= a.basis[k];
    }
    return ok && seen == ll_ones_(ll_shape_bits_(&a.out));
}

/* ll_is_memory(a): returns 1 if a is invertible, each column has one or two
 * bits, and there is no affine part. (Paper, section 4, "Memory Layout".)
 * Example: ll_is_memory(L("offset: j0 i0^j0")) is 1;
 */
LL_FN int ll_is_memory(ll_layout a) {
    int ok = ll_is_invertible(a) && a.offset == 0;
    for (unsigned k = 0; ok && k < ll_shape_bits_(&a.in); ++k) {
        ok = ll_popcount_(a.basis[k]) <= 2u;
    }
    return ok;
}

/* ll_free_bits(a): returns the mask of the packed input bits with columns that
 * depend on earlier columns; 0 if a is invalid. Any element that an input with
 * such a bit set holds, an input with the bit clear holds as well.
 * ll_unpack(a.in, d, mask) selects the bits of dimension d.
 * Example: ll_free_bits(L("register: j0 0 | lane: i0 | warp: i0")) is 10;
 */
LL_FN unsigned ll_free_bits(ll_layout a) {
    const ll_echelon_ r = ll_echelon_of_(&a);
    unsigned free_bits = 0;
    for (unsigned k = 0; !a.err && k < r.n; ++k) {
        free_bits |= ll_echelon_vector_(&r, k) ? 0u : 1u << k;
    }
    return free_bits;
}

/* ll_reaches(a, y): returns 1 if some input holds the packed output y.
 * Example: ll_reaches(L("lane: i0^i1"), 3) is 1;
 * Example: ll_reaches(L("lane: i0^i1"), 1) is 0;
 */
LL_FN int ll_reaches(ll_layout a, unsigned y) {
    ll_echelon_ r = ll_echelon_of_columns_(&a, 0, ll_shape_bits_(&a.in));
    const unsigned n = r.n;
    ll_echelon_load_(&r, y ^ a.offset, 0);
    ll_echelon_eliminate_(&r, 0, n);
    return !a.err && ll_echelon_vector_(&r, n) == 0;
}

/* ll_contiguous(a, d): returns the number of elements along output d, from 0
 * on, that the first input dimension holds in order: the size of the largest
 * identity that ll_div removes from a. Returns 0 if a is invalid.
 * Example: ll_contiguous(L("register: j0 j1 i0 | lane: j2"), LL_J) is 4;
 */
LL_FN unsigned ll_contiguous(ll_layout a, ll_dim d) {
    unsigned best = 1;
    const ll_shape none = LL_ZERO;
    ll_dim first = a.in.n ? a.in.dim[0] : 0;
    for (unsigned bits = 1; bits < 32u; ++bits) {
        ll_layout t = ll_identity(1u << bits, first, d);
        t = a.in.n ? t : ll_zero(none, none);
        best = ll_div(a, t).err || !a.in.n ? best : 1u << bits;
    }
    return a.err ? 0u : best;
}

/* ll_along(a, d): returns the largest 2^n such that output d takes every value
 * from 0 to 2^n - 1 (XORed with the affine part); the other outputs do not
 * matter. Returns 0 for 2^32 and for an invalid layout.
 * Example: ll_along(L("lane: i0^j0 i1 -> 8x2"), LL_I) is 4;
 */
LL_FN unsigned ll_along(ll_layout a, ll_dim d) {
    const unsigned at = ll_shape_find_(&a.out, d);
    const unsigned bits = at < a.out.n ? a.out.bits[at] : 0u;
    ll_echelon_ r = LL_ZERO;
    unsigned n = 0;
    for (unsigned k = 0; bits && k < ll_shape_bits_(&a.in); ++k) {
        ll_echelon_load_(&r, ll_shape_field_(&a.out, at, a.basis[k]), 1u << k);
    }
    const unsigned cols = r.n;
    for (unsigned k = 0; k < bits; ++k) {
        ll_echelon_load_(&r, 1u << k, 0);
    }
    ll_echelon_eliminate_(&r, 0, cols);
    while (!a.err && n < bits && ll_echelon_vector_(&r, cols + n) == 0) {
        ++n;
    }
    return a.err ? 0u : ll_shift_(1u, n);
}

/* Private: returns the packed bits of the listed dimensions that s has. */
LL_FN unsigned ll_shape_bits_of_(const ll_shape *s, const ll_shape *list) {
    unsigned bits = 0;
    for (unsigned k = 0; k < list->n; ++k) {
        unsigned at = ll_shape_find_(s, list->dim[k]);
        bits |= at < s->n ? ll_shift_(ll_ones_(s->bits[at]),
                                      ll_shape_start_(s, at))
                          : 0u;
    }
    return bits;
}

/* ll_is_trivial(a, list): returns 1 if a is the identity on the listed
 * dimensions, they reach no other output, and no other input reaches them. A
 * conversion with such a map moves nothing across these dimensions. Returns 0
 * if either side of a lacks one of them.
 * Example: ll_is_trivial(L("lane: lane1 lane0 | warp: warp0"), "warp") is 1;
 * Example: ll_is_trivial(L("lane: lane1 lane0 | warp: warp0"), "lane") is 0;
 */
LL_FN int ll_is_trivial(ll_layout a, const char *list) {
    const ll_shape l = ll_shape_of(list);
    const unsigned in = ll_shape_bits_of_(&a.in, &l);
    const unsigned out = ll_shape_bits_of_(&a.out, &l);
    int ok = !a.err && !l.err && (a.offset & out) == 0;
    for (unsigned k = 0; k < l.n; ++k) {
        unsigned p = ll_shape_find_(&a.in, l.dim[k]);
        unsigned q = ll_shape_find_(&a.out, l.dim[k]);
        ok = ok && p < a.in.n && q < a.out.n && a.in.bits[p] == a.out.bits[q];
    }
    for (unsigned k = 0; ok && k < ll_shape_bits_(&a.in); ++k) {
        ok = in >> k & 1u
                 ? a.basis[k] == ll_shape_repack_(1u << k, &a.in, &a.out)
                 : (a.basis[k] & out) == 0;
    }
    return ok;
}

/* Private: returns the shape without the listed dimensions. */
LL_FN ll_shape ll_shape_without_(const ll_shape *s, const ll_shape *list) {
    ll_shape t = LL_ZERO;
    for (unsigned k = 0; k < s->n; ++k) {
        if (ll_shape_find_(list, s->dim[k]) == list->n) {
            t.dim[t.n] = s->dim[k];
            t.bits[t.n] = s->bits[k];
            ++t.n;
        }
    }
    return t;
}

/* ll_quotient(a, list): returns a without the listed dimensions, on which it
 * must be trivial. Fails with LL_ENOTTRIVIAL.
 * Example: ll_quotient(L("lane: lane1 lane0 | warp: warp0"), "warp") is
 *          L("lane: lane1 lane0");
 */
LL_FN ll_layout ll_quotient(ll_layout a, const char *list) {
    const ll_shape l = ll_shape_of(list);
    const ll_shape in = ll_shape_without_(&a.in, &l);
    const ll_shape out = ll_shape_without_(&a.out, &l);
    if (a.err || !ll_is_trivial(a, list)) {
        return ll_layout_bad_(a, list ? LL_ENOTTRIVIAL : LL_ENULL);
    }
    return ll_layout_onto_(ll_layout_from_(a, &in), &out);
}

/* Private: a dimension in which two shapes differ. */
typedef struct ll_difference_ {
    ll_dim dim;       /* 0 for none */
    unsigned size[2]; /* in each shape; 0 if the shape lacks it */
} ll_difference_;

/* Private: returns the slowest dimension that one of two shapes lacks, or that
 * is larger in b than in a; with `equal`, also if it is smaller. */
LL_FN ll_difference_ ll_difference_of_(ll_shape a, ll_shape b, int equal) {
    ll_difference_ d = LL_ZERO;
    for (unsigned k = 0; k < a.n + b.n; ++k) {
        const ll_dim dim = k < a.n ? a.dim[k] : b.dim[k - a.n];
        const unsigned p = ll_shape_find_(&a, dim);
        const unsigned q = ll_shape_find_(&b, dim);
        const int fits = p < a.n && q < b.n &&
                         (equal ? b.bits[q] == a.bits[p]
                                : b.bits[q] <= a.bits[p]);
        if (!fits && (!d.dim || ll_dim_usual_(dim) < ll_dim_usual_(d.dim))) {
            d.dim = dim;
            d.size[0] = p < a.n ? ll_shift_(1u, a.bits[p]) : 0u;
            d.size[1] = q < b.n ? ll_shift_(1u, b.bits[q]) : 0u;
        }
    }
    return d;
}

/* ---- layout/shapes: Shapes -------------------------------------------- */

/* Shape operations of tensor programs. Each function returns the layout that
 * has the operation's result already in place, so that no element moves.
 * ll_x_back undoes ll_x. The axes of the result are again called i, j, .. in
 * the usual order. (Paper, section 4.4 and appendix, "Layout Engine".)
 * ll_reshape_out reshapes in both directions. */

/* Private: factors for building layouts. ll_layout_empty_ starts with the
 * listed dimensions, all of size 1, and fixes their order. ll_layout_by_
 * appends `size` values of an input along an output. ll_layout_copies_ appends
 * `size` values of an input that hold copies. */
LL_FN ll_layout ll_layout_empty_(const char *ins, const char *outs) {
    return ll_zero(ll_shape_of(ins), ll_shape_of(outs));
}

LL_FN ll_layout ll_layout_by_(ll_layout a, unsigned size, ll_dim in,
                              ll_dim out) {
    return ll_mul(a, ll_identity(size, in, out));
}

LL_FN ll_layout ll_layout_copies_(ll_layout a, unsigned size, ll_dim in) {
    return ll_mul(a, ll_zeros(size, in, a.out.dim[0], 1));
}

/* Private: returns the shape of a matrix. */
LL_FN ll_shape ll_shape_matrix_(unsigned rows, unsigned cols) {
    const unsigned sizes[2] = {rows, cols};
    return ll_tensor(2, sizes);
}

/* Private: returns the layout with outputs renamed i, j, .., slowest first. */
LL_FN ll_layout ll_axes_(ll_layout a) {
    for (unsigned k = 0; k < a.out.n; ++k) {
        a.out.dim[k] = ll_axis(a.out.n - 1u - k);
    }
    return a;
}

/* ll_trans(a, list): returns a with its axes in another order, as in
 * numpy.transpose. The list names all axes of a: the first is axis i of the
 * result, the second is axis j, and so on. ll_trans_back(a, list) undoes it.
 * Fail with LL_EMATCH, ll_trans also with LL_EMISSING.
 * Example: ll_trans(L("lane: i0 j0 j1"), "j i") is L("lane: j0 i0 i1");
 * Example: ll_trans(L("lane: i0 j0 j1 k0 k1 k2"), "k i j") is
 *          L("lane: j0 k0 k1 i0 i1 i2");
 * Example: ll_trans_back(ll_trans(L("lane: k0 j0 i0"), "k i j"), "k i j") is
 *          L("lane: k0 j0 i0");
 */
LL_FN ll_layout ll_trans(ll_layout a, const char *list) {
    const ll_shape s = ll_shape_listed_(&a.out, list, 0);
    const ll_shape order = ll_shape_reversed_(s);
    ll_layout b = ll_layout_bad_shape_(a, &s);
    b = s.n == a.out.n ? b : ll_layout_bad_(b, LL_EMATCH);
    return b.err ? b : ll_axes_(ll_layout_onto_(a, &order));
}

LL_FN ll_layout ll_trans_back(ll_layout a, const char *list) {
    const ll_shape l = ll_shape_of(list);
    const ll_shape s = a.out;
    a = ll_layout_bad_(a, l.err);
    a = l.n == s.n ? a : ll_layout_bad_(a, LL_EMATCH);
    for (unsigned k = 0; !a.err && k < s.n; ++k) {
        a.out.dim[k] = l.dim[s.n - 1u - k];
    }
    const ll_shape sorted = ll_shape_sorted_(a.out);
    return a.err ? a : ll_layout_onto_(a, &sorted);
}

/* Private: returns the index of axis d among the outputs; s->n if it is absent.
 * d may also be the number of an axis, counted from the slowest. */
LL_FN unsigned ll_axis_at_(const ll_shape *s, ll_dim d) {
    const unsigned k = d < s->n ? s->n - 1u - (unsigned)d : s->n;
    return d < LL_MAX_DIMS ? k : ll_shape_find_(s, d);
}

/* ll_unsqueeze(a, d): returns a with a new axis d of size 1. Later axes are
 * renamed: a new j turns i, j into i, j, k. Fails with LL_EAXIS if d is not an
 * axis or would leave a gap, LL_EDIMS if there are 16 axes already.
 * ll_unsqueeze_back(a, d): returns a without axis d. Fails with LL_EMISSING,
 * and with LL_EONE if the axis has more than one element.
 * Example: ll_unsqueeze(L("lane: i0 j0"), LL_J) is
 *          L("lane: i0 k0 -> k=2 | j=1 | i=2");
 * Example: ll_unsqueeze(L("lane: i0"), LL_K).err is LL_EAXIS;
 */
LL_FN ll_layout ll_unsqueeze(ll_layout a, ll_dim d) {
    const ll_shape s = a.out;
    unsigned k = 0;
    while (k < LL_MAX_DIMS && d != k && d != ll_axis(k)) {
        ++k;
    }
    if (a.err || k > s.n || s.n >= LL_MAX_DIMS) {
        return ll_layout_bad_(a, s.n < LL_MAX_DIMS ? LL_EAXIS : LL_EDIMS);
    }
    unsigned at = s.n - k;
    for (unsigned b = s.n; b > at; --b) {
        a.out.bits[b] = s.bits[b - 1u];
    }
    a.out.bits[at] = 0;
    ++a.out.n;
    return ll_axes_(a);
}

LL_FN ll_layout ll_unsqueeze_back(ll_layout a, ll_dim d) {
    const ll_shape s = a.out;
    const unsigned at = ll_axis_at_(&s, d);
    if (a.err || at >= s.n) {
        return ll_layout_lacking_(a, d);
    }
    for (unsigned b = at; b + 1u < s.n; ++b) {
        a.out.bits[b] = s.bits[b + 1u];
    }
    --a.out.n;
    return s.bits[at]
               ? ll_layout_bad_value_(a, LL_EONE, ll_shift_(1u, s.bits[at]))
               : ll_axes_(a);
}

/* Private: returns the layout without the register bits set in `drop`. */
LL_FN ll_layout ll_drop_registers_(ll_layout a, unsigned drop) {
    ll_perm p = LL_ZERO;
    unsigned at = ll_shape_find_(&a.in, LL_REGISTER);
    p.of = at < a.in.n ? a.in.bits[at] : 0u;
    for (unsigned k = 0; k < p.of; ++k) {
        if (!(drop >> k & 1u)) {
            p.bit[p.n] = k;
            ++p.n;
        }
    }
    return at < a.in.n ? ll_permute(a, LL_REGISTER, p) : a;
}

/* Private: returns the register bits with nonzero columns inside `mask`. */
LL_FN unsigned ll_registers_in_(const ll_layout *a, unsigned mask) {
    unsigned at = ll_shape_find_(&a->in, LL_REGISTER);
    unsigned start = ll_shape_start_(&a->in, at);
    unsigned found = 0;
    for (unsigned k = 0; at < a->in.n && k < a->in.bits[at]; ++k) {
        unsigned y = a->basis[start + k];
        found |= y && !(y & ~mask) ? 1u << k : 0u;
    }
    return found;
}

/* ll_broadcast(a, d, size): returns a with axis d, which has size 1, repeated:
 * every lane holds its elements `size` times, in new registers.
 * ll_broadcast_back(a, d): returns a with axis d cut to size 1, without
 * register bits that ran along d alone. Fail with LL_EMISSING, LL_EONE (axis d
 * does not have size 1), LL_ESIZE.
 * Example: ll_broadcast(L("lane: i0 -> j=1 | i=2"), LL_J, 2) is
 *          L("lane: i0 | register: j0");
 */
LL_FN ll_layout ll_broadcast(ll_layout a, ll_dim d, unsigned size) {
    unsigned at = ll_shape_find_(&a.out, d);
    if (a.err || at == a.out.n || a.out.bits[at]) {
        return at == a.out.n ? ll_layout_lacking_(a, d)
                             : ll_layout_bad_value_(
                                   a, LL_EONE, ll_shift_(1u, a.out.bits[at]));
    }
    return ll_layout_by_(a, size, LL_REGISTER, d);
}

LL_FN ll_layout ll_broadcast_back(ll_layout a, ll_dim d) {
    const ll_shape none = LL_ZERO;
    const ll_shape one = ll_shape_add_(none, d, 0);
    if (a.err || ll_shape_find_(&a.out, d) == a.out.n) {
        return ll_layout_lacking_(a, d);
    }
    unsigned alone = ll_registers_in_(&a, ll_shape_bits_of_(&a.out, &one));
    return ll_drop_registers_(ll_resize_out(a, d, 1), alone);
}

/* ll_reduce(a, d): returns the layout of the result of a reduction along axis
 * d. The axis is removed and later axes are renamed. Lanes and warps along d
 * hold copies of the result; register bits that ran along d alone are dropped.
 * Fails with LL_EMISSING. ll_reduce_back(a, d, size): returns a layout that
 * ll_reduce turns into a, with the elements along d in new registers. Fails
 * with LL_EAXIS, LL_EDIMS, LL_ESIZE.
 * Example: ll_reduce(L("register: j0 | lane: i0 j1"), LL_J) is
 *          L("register: | lane: i0 0");
 * Example: ll_reduce_back(L("register: | lane: i0 0"), LL_J, 2) is
 *          L("register: j0 | lane: i0 0");
 */
LL_FN ll_layout ll_reduce(ll_layout a, ll_dim d) {
    const unsigned at = ll_axis_at_(&a.out, d);
    const ll_dim axis = at < a.out.n ? a.out.dim[at] : d;
    return ll_unsqueeze_back(ll_broadcast_back(a, axis), axis);
}

LL_FN ll_layout ll_reduce_back(ll_layout a, ll_dim d, unsigned size) {
    const ll_layout b = ll_unsqueeze(a, d);
    return ll_broadcast(b, d < LL_MAX_DIMS ? ll_axis((unsigned)d) : d, size);
}

/* ll_join(a): returns the layout of two tensors of layout a, joined along a new
 * last axis of size 2. The bit of that axis is the lowest register bit.
 * ll_split(a): splits the last axis and returns the layout of each half. The
 * axis must have size 2 and a register bit of its own, or ll_split fails with
 * LL_ENOTREGISTER. Each undoes the other, except for the register bit's place.
 * Example: ll_join(L("register: i0 | lane: i1")) is
 *          L("register: j0 i0 | lane: i1");
 * Example: ll_split(L("register: i0 | lane: j0")).err is LL_ENOTREGISTER;
 */
LL_FN ll_layout ll_join(ll_layout a) {
    const ll_layout b = ll_unsqueeze(a, a.out.n);
    return b.err ? b
                 : ll_mul(ll_identity(2, LL_REGISTER, ll_axis(b.out.n - 1u)),
                          b);
}

LL_FN ll_layout ll_split(ll_layout a) {
    unsigned last = a.out.n && a.out.bits[0] == 1u;
    unsigned alone = last ? ll_registers_in_(&a, 1u) : 0u;
    unsigned others = a.offset;
    ll_layout b = ll_drop_registers_(a, alone);
    for (unsigned k = 0; k < ll_shape_bits_(&b.in); ++k) {
        others |= b.basis[k];
    }
    if (a.err || ll_popcount_(alone) != 1u || (others & 1u)) {
        return ll_layout_bad_(a, LL_ENOTREGISTER);
    }
    return ll_unsqueeze_back(ll_resize_out(b, a.out.dim[0], 1), a.out.n - 1u);
}

/* Private: returns a with axis d split: a group is a new axis after d. */
LL_FN ll_layout ll_grouped_(ll_layout a, ll_dim d, unsigned group) {
    const unsigned at = ll_shape_find_(&a.out, d);
    const unsigned bits = ll_log2_(group);
    a = at == a.out.n ? ll_layout_lacking_(a, d) : a;
    if (a.err || bits > a.out.bits[at]) { /* LL_NO_BITS_ is above every size */
        return ll_layout_bad_value_(a, LL_EGROUP, group);
    }
    a = ll_unsqueeze(a, a.out.n - at);
    ll_shape s = a.out;
    if (!a.err) {
        s.bits[at] = (unsigned short)bits;
        s.bits[at + 1u] = (unsigned short)(s.bits[at + 1u] - bits);
    }
    return ll_reshape_out(a, s);
}

/* ll_scales_of(a, d, group): returns the layout of the scales of a tensor of
 * layout a with one scale per `group` elements along axis d, as in mxfp8 and
 * mxfp4 (32 along k). Every lane holds the scales that its elements need: axis
 * d is split, and the group is reduced away. ll_scales_each(a, d, group):
 * returns the layout of the scales with all registers of a, so that each
 * register has its scale. A conversion from ll_scales_of to this layout only
 * renames registers. ll_scales_back(s, d, group): returns a layout of the whole
 * tensor with each scale of layout s in place: a group fills new registers.
 *
 * Use these in kernels that multiply by the scales themselves (paper, section
 * 5.2, "Software Emulation"). For instructions that apply scales, see
 * ll_ptx_scale_a and ll_amd_mfma_scale_a. Axes are i, j, .. in the usual order.
 * Fail with LL_EMISSING, LL_EGROUP (the group is not a power of two, or is
 * larger than the axis).
 * Example: ll_scales_of(L("register: j0 j3 | lane: j1 j2 i0"), LL_J, 8) is
 *          L("register: j0 | lane: 0 0 i0");
 * Example: ll_scales_each(L("register: j0 j3 | lane: j1 j2 i0"), LL_J, 8) is
 *          L("register: 0 j0 | lane: 0 0 i0");
 * Example: ll_scales_back(L("register: j0 | lane: 0 i0"), LL_J, 4) is
 *          L("register: j2 j0 j1 | lane: 0 i0");
 * Example: ll_scales_of(L("register: j0 | lane: i0"), LL_J, 4).err is
 *          LL_EGROUP;
 */
LL_FN ll_layout ll_scales_of(ll_layout a, ll_dim d, unsigned group) {
    return ll_reduce(ll_grouped_(a, d, group),
                     a.out.n - ll_shape_find_(&a.out, d));
}

LL_FN ll_layout ll_scales_each(ll_layout a, ll_dim d, unsigned group) {
    const unsigned k = a.out.n - ll_shape_find_(&a.out, d);
    a = ll_grouped_(a, d, group);
    return a.err ? a
                 : ll_unsqueeze_back(
                       ll_resize_out(a, a.out.dim[a.out.n - 1u - k], 1), k);
}

LL_FN ll_layout ll_scales_back(ll_layout s, ll_dim d, unsigned group) {
    const unsigned at = ll_shape_find_(&s.out, d);
    if (s.err || at == s.out.n) {
        return ll_layout_lacking_(s, d);
    }
    if (ll_log2_(group) == LL_NO_BITS_) {
        return ll_layout_bad_value_(s, LL_EGROUP, group);
    }
    const unsigned k = s.out.n - at;
    s = ll_reduce_back(s, k, group);
    ll_shape all = s.out;
    if (!s.err) {
        all.bits[at + 1u] += all.bits[at];
        all.bits[at] = 0;
    }
    return ll_unsqueeze_back(ll_reshape_out(s, all), k);
}

/* ll_renumber(a, d, s): returns a with each coordinate x of axis d replaced by
 * s(x). The layout s has one input and one output of that size, under any
 * names. Renumbering k of A and B only reorders a matmul's sum; ll_preshuffle
 * finds an s that widens accesses. Fails with LL_EMISSING, LL_EMATCH.
 * Example: ll_renumber(L("lane: i0 j0 j1"), LL_J, L("k: k1 k0")) is
 *          L("lane: i0 j1 j0");
 */
LL_FN ll_layout ll_renumber(ll_layout a, ll_dim d, ll_layout s) {
    const unsigned at = ll_shape_find_(&a.out, d);
    ll_layout all = ll_layout_bad_(
        ll_layout_bad_(ll_shape_identity_(&a.out), a.err), s.err);
    if (all.err || at == a.out.n) {
        return ll_layout_lacking_(all, d);
    }
    const unsigned start = ll_shape_start_(&a.out, at);
    const unsigned n = a.out.bits[at];
    if (s.in.n != 1u || s.out.n != 1u || s.in.bits[0] != n ||
        s.out.bits[0] != n) {
        return ll_layout_bad_(all, LL_EMATCH);
    }
    for (unsigned k = 0; k < n; ++k) {
        all.basis[start + k] = ll_shift_(s.basis[k], start);
    }
    all.offset = ll_shift_(s.offset, start);
    return ll_compose(all, a);
}

/* Private: returns the input that repeats a layout: offset, else register. */
LL_FN ll_dim ll_layout_inner_(const ll_layout *a) {
    return ll_shape_find_(&a->in, LL_OFFSET) < a->in.n ? LL_OFFSET
                                                       : LL_REGISTER;
}

/* ll_bitcast(a, from_bits, to_bits): returns the layout of the same bytes in
 * the same places, as elements of to_bits instead of from_bits. Smaller
 * elements lengthen the fastest axis; its new low bits are the lowest register
 * (or offset) bits. Larger elements shorten the axis. Each lane must then hold
 * them whole in neighbouring registers, else LL_EWHOLE. Fails with LL_ECAST if
 * a size is not 1, 2, 4, .. or 128 bits, LL_ENOAXIS.
 * Example: ll_bitcast(L("register: j0 | lane: j1 i0"), 16, 8) is
 *          L("register: j0 j1 | lane: j2 i0");
 * Example: ll_bitcast(L("register: j0 | lane: j1 i0"), 16, 32) is
 *          L("register: | lane: j0 i0");
 * Example: ll_bitcast(L("lane: j0 i0"), 16, 32).err is LL_EWHOLE;
 */
LL_FN ll_layout ll_bitcast(ll_layout a, unsigned from_bits, unsigned to_bits) {
    const unsigned from = ll_log2_(from_bits);
    const unsigned to = ll_log2_(to_bits);
    if (a.err || a.out.n == 0) {
        return ll_layout_bad_(a, LL_ENOAXIS);
    }
    if (from > 7u || to > 7u) {
        return ll_layout_bad_value_(a, LL_ECAST,
                                    from > 7u ? from_bits : to_bits);
    }
    const unsigned size = 1u << (from > to ? from - to : to - from);
    const ll_layout t = ll_identity(size, ll_layout_inner_(&a), a.out.dim[0]);
    const ll_layout b = from >= to ? ll_mul(t, a) : ll_div(a, t);
    return b.err == LL_ENOTILE ? ll_layout_bad_(a, LL_EWHOLE) : b;
}

/* ---- layout/families: Layout families --------------------------------- */

/* Named layouts. Each is a product of small identities: first the registers of
 * a lane, then the lanes, then the warps, each along one axis after the other.
 * Families that a vendor's instructions define are in ll_ptx.h and ll_amd.h. */

/* ll_row_major(s), ll_col_major(s): return the memory layout offset -> tensor
 * of the shape s with the last axis (or the first axis) contiguous.
 * Example: ll_row_major(ll_shape_of("j=4 i=2")) is L("offset: j0 j1 i0");
 * Example: ll_col_major(ll_shape_of("j=4 i=2")) is L("offset: i0 j0 j1");
 */
LL_FN ll_layout ll_row_major(ll_shape s) {
    const ll_shape none = LL_ZERO;
    unsigned n = ll_shape_bits_(&s);
    ll_layout a = ll_zero(ll_shape_add_(none, LL_OFFSET, n), s);
    for (unsigned k = 0; k < n && k < LL_MAX_BITS; ++k) {
        a.basis[k] = 1u << k;
    }
    return a;
}

LL_FN ll_layout ll_col_major(ll_shape s) {
    ll_layout a = ll_row_major(ll_shape_reversed_(s));
    const ll_shape from = a.out;
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        a.basis[k] = ll_shape_repack_(a.basis[k], &from, &s);
    }
    a.out = s;
    return a;
}

/* Private: returns row-major memory with bits of the row XORed into the number
 * of the vector in its row. Row bit log2(per_phase) + t goes to vector bit t
 * mod log2(max_phase), for t below turns * log2(max_phase). */
LL_FN ll_layout ll_rows_xored_(ll_shape s, unsigned vec, unsigned per_phase,
                           unsigned max_phase, unsigned turns) {
    ll_layout a = ll_row_major(s);
    const unsigned v = ll_log2_(vec);
    const unsigned p = ll_log2_(per_phase);
    const unsigned m = ll_log2_(max_phase);
    const unsigned cols = s.n ? s.bits[0] : 0u;
    const unsigned rows = s.n > 1u ? s.bits[1] : 0u;
    if (a.err || v > 31u || p > 31u || m > 31u || v + m > cols) {
        return ll_layout_bad_(a, LL_ESWIZZLE);
    }
    for (unsigned t = 0; t < m * turns && p + t < rows; ++t) {
        a.basis[cols + p + t] |= 1u << (v + t % m);
    }
    return a;
}

/* ll_swizzled(s, vec, per_phase, max_phase): returns row-major memory with the
 * vectors of `vec` elements permuted within each row i: vector c stands at c ^
 * (i / per_phase % max_phase). The first two dimensions of the shape s are
 * columns and rows. ll_rotated, for AMD GPUs, also XORs i / per_phase /
 * max_phase % max_phase. ll_swizzle finds better ones. Source (any GPU): paper,
 * appendix, "mma swizzling"; Triton. Fail with LL_ESWIZZLE.
 * Example: ll_swizzled(ll_shape_of("j=8 i=4"), 2, 1, 4) is
 *          L("offset: j0 j1 j2 i0^j1 i1^j2");
 * Example: ll_rotated(ll_shape_of("j=4 i=4"), 2, 1, 2) is
 *          L("offset: j0 j1 i0^j1 i1^j1");
 * Example: ll_swizzled(ll_shape_of("j=4 i=4"), 2, 1, 4).err is LL_ESWIZZLE;
 */
LL_FN ll_layout ll_swizzled(ll_shape s, unsigned vec, unsigned per_phase,
                            unsigned max_phase) {
    return ll_rows_xored_(s, vec, per_phase, max_phase, 1);
}

LL_FN ll_layout ll_rotated(ll_shape s, unsigned vec, unsigned per_phase,
                           unsigned max_phase) {
    return ll_rows_xored_(s, vec, per_phase, max_phase, 2);
}

/* ll_cute_swizzle(size, b, m, s): returns CuTe's Swizzle<b, m, s> on the
 * numbers below size. It XORs the b bits from bit m + s on into the bits s
 * places lower. With s negative, it XORs the b bits from bit m on into the bits
 * |s| places higher. ll_compose(a, swizzle) swizzles the offsets of a memory
 * layout a. The swizzle is its own inverse. Source (any GPU): CUTLASS. Fails
 * with LL_ESIZE, LL_ECUTE (also if a negative s moves bits beyond size).
 * Example: ll_cute_swizzle(64, 2, 1, 3) is
 *          L("offset: offset0 offset1 offset2 offset3 offset4^offset1 "
 *          "offset5^offset2");
 * Example: ll_cute_swizzle(8, 2, 0, 1).err is LL_ECUTE;
 * Example: ll_cute_swizzle(4, 1, 0, -3).err is LL_ECUTE;
 */
LL_FN ll_layout ll_cute_swizzle(unsigned size, unsigned b, unsigned m, int s) {
    ll_layout a = ll_identity(size, LL_OFFSET, LL_OFFSET);
    const unsigned by = s < 0 ? 0u - (unsigned)s : (unsigned)s;
    const unsigned n = ll_shape_bits_(&a.in);
    const int up = s < 0 && b && m < n; /* some number has bits that move up */
    if (b > by || by > 32u || m > 32u || m + by + b > 32u ||
        (up && m + by + b > n)) {
        return ll_layout_bad_(a, LL_ECUTE);
    }
    const unsigned from = s < 0 ? m : m + by;
    const unsigned to = s < 0 ? m + by : m;
    for (unsigned k = 0; k < b && from + k < n; ++k) {
        a.basis[from + k] ^= 1u << (to + k);
    }
    return a;
}

/* ll_tiled(tile, shape, warps): returns the tile repeated to fill a tensor.
 * First, warps put tiles side by side: `warps` gives their number along each
 * axis, with its first axis fastest. ll_shape_of("") means no warps. Then
 * registers (offsets, if the tile is memory) repeat the result, along the first
 * axis of the shape first. The axes of the result are in the order of the
 * shape, the first one fastest. Where the tensor is smaller, inputs hold
 * copies; so do warps along an axis that the shape lacks.
 *
 * For a cluster, tile one block first, then multiply the result by the blocks,
 * fastest first: ll_mul with ll_identity(blocks, LL_BLOCK, axis), or with
 * ll_zeros(blocks, LL_BLOCK, axis, 1) for blocks that hold copies (multicast).
 * In a matmul on m x n warps, A (i x j) takes the warps i=m k=n, B takes k=m
 * j=n and C takes i=m j=n: each warp then has what it needs. (Paper, appendix,
 * "Layout Engine".) Fails with LL_EMISSING if the shape lacks an axis of the
 * tile, LL_EBITS.
 * Example: ll_tiled(L("register: j0 | lane: i0"), ll_shape_of("j=8 i=4"),
 *                   ll_shape_of("i=2 k=2")) is
 *          L("register: j0 j1 j2 | lane: i0 | warp: i1 0");
 * Example: ll_tiled(L("register: j0 j1 | lane: i0"), ll_shape_of("j=2 i=2"),
 *                   ll_shape_of("")) is
 *          L("register: j0 0 | lane: i0");
 * Example: ll_mul(ll_mul(ll_tiled(L("register: j0 | lane: i0"),
 *                                 ll_shape_of("j=4 i=2"), ll_shape_of("")),
 *                        ll_identity(2, LL_BLOCK, LL_I)),
 *                 ll_zeros(2, LL_BLOCK, LL_J, 1)) is
 *          L("register: j0 j1 | lane: i0 | block: i1 0");
 */
LL_FN ll_layout ll_tiled(ll_layout tile, ll_shape shape, ll_shape warps) {
    ll_layout a =
        ll_layout_bad_shape_(ll_layout_bad_shape_(tile, &shape), &warps);
    for (unsigned k = 0; !a.err && k < tile.out.n; ++k) {
        a = ll_shape_find_(&shape, tile.out.dim[k]) < shape.n
                ? a
                : ll_layout_lacking_(a, tile.out.dim[k]);
    }
    for (unsigned k = 0; !a.err && k < warps.n; ++k) {
        const unsigned size = ll_shift_(1u, warps.bits[k]);
        const ll_dim d = warps.dim[k];
        const int there = ll_shape_find_(&shape, d) < shape.n;
        const ll_dim any = shape.n ? shape.dim[0] : d;
        a = there ? ll_layout_by_(a, size, LL_WARP, d)
                  : ll_mul(a, ll_zeros(size, LL_WARP, any, 1));
    }
    for (unsigned k = 0; !a.err && k < shape.n; ++k) {
        unsigned at = ll_shape_find_(&a.out, shape.dim[k]);
        unsigned has = at < a.out.n ? a.out.bits[at] : 0u;
        if (has < shape.bits[k]) {
            a = ll_layout_by_(a, ll_shift_(1u, shape.bits[k] - has),
                              ll_layout_inner_(&a), shape.dim[k]);
        }
    }
    return a.err ? a : ll_layout_onto_(a, &shape);
}

/* ll_cute_tiled(atom, shape, b, m, s): CuTe's
 * tile_to_shape(composition(Swizzle<b, m, s>, atom), shape). Returns the memory
 * of a tensor of this shape, filled with copies of the atom, along the shape's
 * first axis first, and then swizzled. The atom is the memory layout before the
 * swizzle. It may span fewer bits than the swizzle acts on; higher bits then
 * come from the number of the copy. The axes of the result are in the order of
 * the shape. Source (any GPU): CUTLASS. Fails with LL_EMISSING, LL_EMATCH (the
 * atom is not memory), LL_ECUTE, LL_EBITS.
 * Example: ll_cute_tiled(L("offset: j0 j1 i0"), ll_shape_of("i=4 j=8"), 1, 1,
 *          2) is L("offset: j0 j1 i0 i1^j1 j2 -> i=4 | j=8");
 * Example: ll_cute_tiled(L("lane: j0"), ll_shape_of("j=4"), 1, 0, 1).err is
 *          LL_EMATCH;
 */
LL_FN ll_layout ll_cute_tiled(ll_layout atom, ll_shape shape, unsigned b,
                              unsigned m, int s) {
    const ll_shape none = LL_ZERO;
    const ll_layout a = ll_tiled(atom, shape, none);
    const int is_memory = a.in.n == 1u && a.in.dim[0] == LL_OFFSET;
    return a.err ? a
           : is_memory
               ? ll_compose(a, ll_cute_swizzle(ll_size(a.in, LL_OFFSET), b, m,
                                               s))
               : ll_layout_bad_(a, LL_EMATCH);
}

/* ll_blocked(shape, registers, lanes, warps): returns nested blocks: a block of
 * registers per lane, a block of lanes per warp, a block of warps. Registers
 * repeat the whole until it fills the shape. `registers`, `lanes` and `warps`
 * give the number along each axis, fastest first. Where the shape is smaller,
 * inputs hold copies. Source (any GPU): paper, appendix, "Blocked layouts are
 * linear layouts". Fails with LL_EMISSING.
 * Example: ll_blocked(ll_shape_of("j=16 i=16"), ll_shape_of("j=2 i=2"),
 *                     ll_shape_of("j=8 i=4"), ll_shape_of("i=2")) is
 *          L("register: j0 i0 | lane: j1 j2 j3 i1 i2 | warp: i3");
 */
LL_FN ll_layout ll_blocked(ll_shape shape, ll_shape registers, ll_shape lanes,
                           ll_shape warps) {
    const ll_dim in[3] = {LL_REGISTER, LL_LANE, LL_WARP};
    const ll_shape size[3] = {registers, lanes, warps};
    const ll_shape none = LL_ZERO;
    ll_layout a = ll_layout_bad_shape_(
        ll_layout_empty_("register lane warp", ""), &shape);
    for (unsigned d = 0; d < 3u; ++d) {
        a = ll_layout_bad_shape_(a, &size[d]);
        for (unsigned k = 0; k < size[d].n; ++k) {
            a = ll_layout_by_(a, ll_shift_(1u, size[d].bits[k]), in[d],
                              size[d].dim[k]);
        }
    }
    return ll_tiled(a, shape, none);
}

/* A row-major tile, divided among lanes and warps. 0 means the default. */
typedef struct ll_rows_spec {
    unsigned rows LL_INIT_, cols LL_INIT_; /* of the tile */
    unsigned bytes LL_INIT_;  /* of an element; 0: 4 */
    unsigned access LL_INIT_; /* bytes of one access; 0: 16, or one element */
    unsigned height LL_INIT_; /* rows in which a lane holds one access; 0: 1 */
    unsigned lanes LL_INIT_;  /* of a warp; 0: 32 */
    unsigned warps LL_INIT_;  /* 0: 4 */
} ll_rows_spec;

/* ll_rows_of(s): returns a layout in which each lane holds `access` contiguous
 * bytes (fewer in a narrow tile) in each of `height` rows. Lanes are side by
 * side along a row, then down the rows; warps are below each other. Registers
 * repeat the whole until the tile is full. Use smaller accesses for rows that
 * do not start at multiples of 16 bytes. LL_ROWS(.rows = 64, .cols = 64,
 * .access = 4) is ll_rows_of with named members, in the order of the struct;
 * NVRTC needs C++20 for it. ll_rows(rows, cols, bytes) takes the defaults for
 * all other members. Fail with LL_ESIZE, LL_EELEMENT, LL_EACCESS (access is not
 * a power of two, or is less than an element).
 * Example: LL_ROWS(.rows = 64, .cols = 64, .access = 4, .warps = 2) is
 *          L("register: j5 i1 i2 i3 i4 i5 | lane: j0 j1 j2 j3 j4 | warp: i0");
 * Example: ll_rows(64, 64, 4) is L("register: j0 j1 i3 i4 i5 | "
 *          "lane: j2 j3 j4 j5 i0 | warp: i1 i2");
 */
LL_FN ll_layout ll_rows_of(ll_rows_spec s) {
    const unsigned bytes = s.bytes ? s.bytes : 4u;
    const unsigned access = s.access ? s.access : bytes > 16u ? bytes : 16u;
    const unsigned lanes = s.lanes ? s.lanes : 32u;
    const unsigned wide = access > bytes ? access / bytes : 1u;
    const unsigned vector = wide < s.cols ? wide : s.cols;
    const unsigned fit = vector ? s.cols / vector : 0u;
    const unsigned across = fit < lanes ? fit : lanes;
    ll_layout a = ll_blocked(ll_shape_matrix_(s.rows, s.cols),
                             ll_shape_matrix_(s.height ? s.height : 1u, vector),
                             ll_shape_matrix_(ll_log2_(lanes) > 31u ? lanes
                                              : across ? lanes / across
                                                       : 0u,
                                              across),
                             ll_shape_matrix_(s.warps ? s.warps : 4u, 1));
    return ll_log2_(bytes) > 4u ? ll_layout_bad_value_(ll_layout_none_(LL_OK),
                                                       LL_EELEMENT, 8u * bytes)
           : access < bytes || ll_log2_(access) > 31u
               ? ll_layout_bad_value_(ll_layout_none_(LL_OK), LL_EACCESS,
                                      access)
               : a;
}

#if defined(__cplusplus)
#define LL_ROWS(...) ll_rows_of(ll_rows_spec{__VA_ARGS__})
#else
#define LL_ROWS(...) ll_rows_of((ll_rows_spec){__VA_ARGS__})
#endif

LL_FN ll_layout ll_rows(unsigned rows, unsigned cols, unsigned bytes) {
    ll_rows_spec s = LL_ZERO;
    s.rows = rows;
    s.cols = cols;
    s.bytes = bytes;
    return bytes ? ll_rows_of(s)
                 : ll_layout_bad_value_(ll_layout_none_(LL_OK), LL_EELEMENT, 0);
}

/* ll_rows_for(a, bytes): returns the layout in which the lanes and warps of a,
 * a layout of one block, load its tensor from row-major global memory. An
 * element has `bytes` bytes. It is ll_rows_of with accesses of 16 bytes, or a
 * whole row if that is less; all axes beyond the fastest count as rows. For a
 * column-major tensor: ll_trans(ll_rows_for(ll_trans(a, "j i"), bytes), "j i").
 * Fails with LL_EELEMENT, LL_ENOAXIS.
 * Example: ll_rows_for(L("register: j0 j3 i3 | lane: j1 j2 i0 i1 i2"), 2) is
 *          L("register: j0 j1 j2 | lane: j3 i0 i1 i2 i3 | warp:");
 */
LL_FN ll_layout ll_rows_for(ll_layout a, unsigned bytes) {
    const unsigned cols = a.out.n ? a.out.bits[0] : 0u;
    const unsigned rows = ll_shape_bits_(&a.out) - cols;
    if (a.err || a.out.n == 0) {
        return ll_layout_bad_(a, LL_ENOAXIS);
    }
    ll_rows_spec s = LL_ZERO;
    s.rows = ll_shift_(1u, rows);
    s.cols = ll_shift_(1u, cols);
    s.bytes = bytes;
    s.lanes = ll_size(a.in, LL_LANE);
    s.warps = ll_size(a.in, LL_WARP);
    return bytes ? ll_reshape_out(ll_rows_of(s), a.out)
                 : ll_layout_bad_value_(ll_layout_none_(LL_OK), LL_EELEMENT, 0);
}

/* A tile of a grid, by its row and column. */
typedef struct ll_spot {
    unsigned row, col;
} ll_spot;

/* ll_grid_linear(n, rows, cols, group): returns tile number n of a grid of rows
 * x cols: `group` rows of tiles at a time, down each column of the group, so
 * that blocks that run at the same time share rows and columns. Group 1 is
 * row-major order. ll_grid_hilbert(n, rows, cols): the same along Hilbert's
 * curve of the square around the grid, without the tiles outside: neighbours in
 * number are mostly neighbours in the grid. n must be less than rows * cols;
 * block b of a persistent grid takes tiles b, b + blocks, and so on. No layout
 * has this order: a bit of the place depends on all higher bits.
 * Example: ll_grid_linear(5, 4, 4, 2).row is 1;
 * Example: ll_grid_linear(5, 4, 4, 2).col is 2;
 * Example: ll_grid_hilbert(2, 2, 2).col is 1;
 * Example: ll_grid_hilbert(4, 3, 2).row is 2;
 */
LL_FN ll_spot ll_grid_linear(unsigned n, unsigned rows, unsigned cols,
                             unsigned group) {
    ll_spot at = LL_ZERO;
    const unsigned long long all = (unsigned long long)group * cols;
    const unsigned long long each = all ? all : 1u;
    const unsigned first = (unsigned)(n / each) * group;
    const unsigned left = first < rows ? rows - first : 1u;
    const unsigned high = left < group ? left : group ? group : 1u;
    at.row = first + (unsigned)(n % each) % high;
    at.col = (unsigned)(n % each) / high;
    return at;
}

/* Private: returns how many of the places from..from+side-1 are below `to`. */
LL_FN unsigned ll_clipped_(unsigned from, unsigned side, unsigned to) {
    return to <= from ? 0u : to - from < side ? to - from : side;
}

LL_FN ll_spot ll_grid_hilbert(unsigned n, unsigned rows, unsigned cols) {
    ll_spot at = LL_ZERO;
    unsigned side = 1, turned = 0, flipped = 0;
    while (side && (side < rows || side < cols)) {
        side *= 2u;
    }
    for (side /= 2u; side; side /= 2u) {
        for (unsigned q = 0; q < 4u; ++q) { /* quarters along the curve */
            const unsigned down = q >> 1;
            const unsigned right = (q ^ q >> 1) & 1u;
            const unsigned i = (turned ? right : down) ^ flipped;
            const unsigned j = (turned ? down : right) ^ flipped;
            const unsigned inside =
                ll_clipped_(at.row + i * side, side, rows) *
                ll_clipped_(at.col + j * side, side, cols);
            if (n < inside) {
                at.row += i * side;
                at.col += j * side;
                turned ^= (unsigned)(q == 0 || q == 3u);
                flipped ^= (unsigned)(q == 3u);
                break;
            }
            n -= inside;
        }
    }
    return at;
}

/* ---- layout/spans: Spans ---------------------------------------------- */

/* A span is a list of vectors that stands for the subspace they generate. The
 * planner asks for the vectors that two subspaces share, and for the part of
 * one subspace outside another. One elimination answers either. */

typedef struct ll_span_ {
    unsigned n;
    unsigned v[LL_MAX_BITS];
} ll_span_;

/* Private: appends a vector to a list that is not full. */
LL_FN void ll_span_push_(ll_span_ *l, unsigned v) {
    if (l->n < LL_MAX_BITS) {
        l->v[l->n] = v;
        ++l->n;
    }
}

/* Private: loads the vectors of a list as rows that are their own mixes. */
LL_FN void ll_load_span_(ll_echelon_ *r, const ll_span_ *l) {
    for (unsigned k = 0; k < l->n; ++k) {
        ll_echelon_load_(r, l->v[k], l->v[k]);
    }
}

/* Private: reduces v by a list that only this function extends, appends the
 * rest if it is not 0, and returns it: 0 if v lies in their span. The highest
 * bit of each vector is 0 in all later vectors. An XOR with the vector
 * therefore clears this bit of v exactly if it makes v smaller. */
LL_FN unsigned ll_span_extend_(ll_span_ *reduced, unsigned v) {
    for (unsigned k = 0; k < reduced->n; ++k) {
        v = (v ^ reduced->v[k]) < v ? v ^ reduced->v[k] : v;
    }
    if (v) {
        ll_span_push_(reduced, v);
    }
    return v;
}

/* Private: returns the vectors of a list with images that are independent of
 * `have` and of the images before them. */
LL_FN ll_span_ ll_span_fresh_(const ll_span_ *have, const ll_span_ *l,
                              const ll_span_ *image) {
    ll_span_ reduced = LL_ZERO;
    ll_span_ fresh = LL_ZERO;
    for (unsigned k = 0; k < have->n; ++k) {
        ll_span_extend_(&reduced, have->v[k]);
    }
    for (unsigned k = 0; k < l->n; ++k) {
        if (ll_span_extend_(&reduced, image->v[k])) {
            ll_span_push_(&fresh, l->v[k]);
        }
    }
    return fresh;
}

/* Private: returns the vectors of `more` that are independent of `have` and of
 * the vectors before them in `more`. */
LL_FN ll_span_ ll_span_independent_(const ll_span_ *have,
                                    const ll_span_ *more) {
    return ll_span_fresh_(have, more, more);
}

/* Private: appends vectors of `from` outside the list's span, up to n. */
LL_FN void ll_span_append_(ll_span_ *l, const ll_span_ *from, unsigned n) {
    ll_span_ reduced = LL_ZERO;
    for (unsigned k = 0; k < l->n && l->n < n; ++k) {
        ll_span_extend_(&reduced, l->v[k]);
    }
    for (unsigned k = 0; k < from->n && l->n < n; ++k) {
        if (ll_span_extend_(&reduced, from->v[k])) {
            ll_span_push_(l, from->v[k]);
        }
    }
}

/* Private: returns a basis of the spans' intersection, in the order of a. If a
 * vector of a depends on b and earlier ones, its part from b is in both. */
LL_FN ll_span_ ll_span_intersect_(const ll_span_ *a, const ll_span_ *b) {
    const ll_span_ none = LL_ZERO;
    ll_span_ l = LL_ZERO;
    ll_echelon_ r = LL_ZERO;
    ll_load_span_(&r, b);
    for (unsigned k = 0; k < a->n; ++k) {
        ll_echelon_load_(&r, a->v[k], 0);
    }
    ll_echelon_eliminate_(&r, 0, r.n);
    for (unsigned k = b->n; k < r.n; ++k) {
        if (ll_echelon_vector_(&r, k) == 0) {
            ll_span_push_(&l, ll_echelon_mix_(&r, k));
        }
    }
    return ll_span_independent_(&none, &l);
}

/* Private: returns columns from..to-1 of a layout. */
LL_FN ll_span_ ll_span_of_columns_(const ll_layout *a, unsigned from,
                                   unsigned to) {
    ll_span_ l = LL_ZERO;
    for (unsigned k = from; k < to; ++k) {
        ll_span_push_(&l, a->basis[k]);
    }
    return l;
}

/* Private: removes components along the first n vectors of the basis. */
LL_FN void ll_span_project_low_(ll_span_ *l, const ll_span_ *basis,
                                unsigned n) {
    ll_echelon_ r = LL_ZERO;
    for (unsigned k = 0; k < basis->n; ++k) {
        ll_echelon_load_(&r, basis->v[k], k < n ? basis->v[k] : 0u);
    }
    for (unsigned k = 0; k < l->n; ++k) {
        ll_echelon_load_(&r, l->v[k], 0);
    }
    ll_echelon_eliminate_(&r, 0, basis->n);
    for (unsigned k = 0; k < l->n; ++k) {
        l->v[k] ^= ll_echelon_mix_(&r, basis->n + k);
    }
}

/* Private: returns the number of leading vectors of l in the span of b. */
LL_FN unsigned ll_in_span_(const ll_span_ *l, const ll_span_ *b) {
    ll_echelon_ r = LL_ZERO;
    unsigned n = 0;
    ll_load_span_(&r, b);
    ll_load_span_(&r, l);
    ll_echelon_eliminate_(&r, 0, b->n);
    while (n < l->n && ll_echelon_vector_(&r, b->n + n) == 0) {
        ++n;
    }
    return n;
}

/* Private: returns the coordinates of each vector in a basis: bit k is set if
 * vector k of the basis is part of the sum. */
LL_FN ll_span_ ll_span_terms_(const ll_span_ *basis, const ll_span_ *l) {
    ll_echelon_ r = LL_ZERO;
    ll_span_ terms = LL_ZERO;
    for (unsigned k = 0; k < basis->n; ++k) {
        ll_echelon_load_(&r, basis->v[k], 1u << k);
    }
    for (unsigned k = 0; k < l->n; ++k) {
        ll_echelon_load_(&r, l->v[k], 0);
    }
    ll_echelon_eliminate_(&r, 0, basis->n);
    for (unsigned k = 0; k < l->n; ++k) {
        ll_span_push_(&terms, ll_echelon_mix_(&r, basis->n + k));
    }
    return terms;
}

/* Private: returns the OR of the vectors. */
LL_FN unsigned ll_span_or_(const ll_span_ *l) {
    unsigned any = 0;
    for (unsigned k = 0; k < l->n; ++k) {
        any |= l->v[k];
    }
    return any;
}

/* Private: returns XORs of vectors l->v[k] whose XOR of image->v[k] is 0. */
LL_FN ll_span_ ll_span_nullspace_(const ll_span_ *l, const ll_span_ *image) {
    ll_echelon_ r = LL_ZERO;
    ll_span_ zero = LL_ZERO;
    for (unsigned k = 0; k < l->n; ++k) {
        ll_echelon_load_(&r, image->v[k], l->v[k]);
    }
    ll_echelon_eliminate_(&r, 0, r.n);
    for (unsigned k = 0; k < r.n; ++k) {
        if (ll_echelon_vector_(&r, k) == 0) {
            ll_span_push_(&zero, ll_echelon_mix_(&r, k));
        }
    }
    return zero;
}

/* Private: returns the unit vectors of bits from..to-1. */
LL_FN ll_span_ ll_span_units_(unsigned from, unsigned to) {
    ll_span_ l = LL_ZERO;
    for (unsigned k = from; k < to; ++k) {
        ll_span_push_(&l, 1u << k);
    }
    return l;
}

/* Private: removes components in span s, completed by unit vectors. */
LL_FN void ll_span_project_(ll_span_ *l, const ll_span_ *s) {
    const ll_span_ all = ll_span_units_(0, LL_MAX_BITS);
    ll_span_ basis = *s;
    ll_span_append_(&basis, &all, LL_MAX_BITS);
    ll_span_project_low_(l, &basis, s->n);
}

/* ---- plan/target: Targets --------------------------------------------- */

/* A target describes a machine in numbers: the lanes of a warp, the banks and
 * phases of shared memory, the accesses that move matrices, the ways to read a
 * word of another lane, and the cost of each. The vendor headers fill in the
 * tables. No code below depends on the name of a machine. */

enum { LL_READ, LL_WRITE };

/* The forms of an access to shared memory. In a vector access each lane moves
 * the bytes at its own address. In a matrix access some lanes give the
 * addresses of rows, and the bytes of the rows are distributed over all lanes:
 * words of a row (ldmatrix, stmatrix), or pieces of a column of 2-byte or
 * 1-byte elements (.trans, ds_read_tr).
 *
 * A target encodes each matrix form in hex digits, highest first: log2 of the
 * most bytes per lane in one access, log2 of the fewest, and log2 of the bytes
 * per row; then one digit for each of the bits 5 to 0 of the lane that moves a
 * byte, and one for each of the bits 3 to 0 of the byte's number in that lane.
 * A digit k below 8 stands for bit k of the byte's number in its row, 8 + k for
 * bit k of the lane that names the row, f for nothing. Without the form: 0. */
enum {
    LL_FORM_VECTOR,
    LL_FORM_MATRIX,
    LL_FORM_TRANS,
    LL_FORM_BYTES,
    LL_MAX_FORMS
};
typedef unsigned long long ll_form;

/* Hops: ways to read a word of another lane. Each is one instruction, except
 * LL_HOP_SWAP. The control, a literal, selects the lane that lane l reads.
 * LL_HOP_ANY and LL_HOP_32 use the shared-memory pipe; near hops do not.
 *
 *     hop           lane l reads                                 AMD's name
 *     LL_HOP_ANY    any lane, by a computed number               ds_bpermute
 *     LL_HOP_QUAD   a lane of its group of four; its number      quad_perm
 *                   there starts at bit 2 (l & 3) of the control
 *     LL_HOP_XOR    l ^ control, control below 16                row_xmask
 *     LL_HOP_ROW    a lane of its row of 16; its number          permlane16
 *                   there starts at bit 4 (l & 15) of the control
 *     LL_HOP_ROWX   a lane of the row of l ^ 16; its number      permlanex16
 *                   there starts at bit 4 (l & 15) of the control
 *     LL_HOP_HALF   l ^ 32                                       permlane64
 *     LL_HOP_32     ((l & a) | b) ^ c in its 32 lanes, for the   ds_swizzle
 *                   control a | b << 5 | c << 10
 *     LL_HOP_SWAP   l ^ control, which is 16 or 32: two copies   permlane*_swap
 *                   of a word are swapped, and each lane selects one
 */
enum {
    LL_HOP_ANY,
    LL_HOP_QUAD,
    LL_HOP_XOR,
    LL_HOP_ROW,
    LL_HOP_ROWX,
    LL_HOP_HALF,
    LL_HOP_32,
    LL_HOP_SWAP,
    LL_MAX_HOPS
};

/* The hops that fetch a word from another lane, in execution order. n is 0 if
 * the word is already in its lane. */
typedef struct ll_hops {
    unsigned n;
    unsigned hop[2];
    unsigned long long control[2];
    unsigned near; /* 1 if no hop uses the shared-memory pipe */
} ll_hops;

/* A machine as layouts see it. A phase is a set of lanes that shared memory
 * serves together, a coset of a subspace of lane numbers. phase[op][w] is a
 * basis of this subspace, followed by zeros, and banks[op][w] is the number of
 * banks in use. The width w is 0 for accesses of at most 4 bytes per lane, 1
 * for 8 bytes and 2 for 16 bytes; 3 is for 12 bytes, which the tables describe
 * but no plan uses. If a lane bit in `merge` does not change the address of a
 * wide read, two neighbouring phases are served as one. */
#define LL_MAX_WIDTHS 4
enum {
    LL_COST_MEMORY,  /* a wavefront of shared memory */
    LL_COST_SHUFFLE, /* an exchange of 32 bits between lanes */
    LL_COST_LOGIC,   /* a byte permute, near hop or swap */
    LL_COST_WARP,    /* a barrier of a warp */
    LL_COST_BLOCK,   /* a barrier of a block */
    LL_COST_DSMEM,   /* a wavefront of another block's shared memory */
    LL_COST_CLUSTER, /* a barrier of a cluster */
    LL_COST_SELECT,  /* a select */
    LL_COST_ISSUE,   /* a scheduler's time to issue a shuffle, or two selects or
                        permutes; 0: nothing waits for it */
    LL_COST_START,   /* time in an exchange without overlap of its shuffles
                        and logic */
    LL_MAX_COSTS
};
typedef struct ll_target {
    unsigned err;
    unsigned lanes;
    unsigned bank_bytes;
    unsigned access_bytes; /* of the widest access of a lane, at most 16 */
    unsigned store_bytes;  /* of the widest store, if narrower; otherwise 0 */
    unsigned copies; /* 1 if lanes copy from global memory to shared memory */
    unsigned merge;        /* lane bits, see above */
    unsigned pairs;  /* 1 if one instruction can make two accesses of 4 or 8
                        bytes at a fixed distance */
    unsigned blocks; /* of the largest cluster; 0: no clusters */
    ll_form forms[2][LL_MAX_FORMS]; /* by op */
    unsigned cost[LL_MAX_COSTS]; /* in eighths of a cycle */
    unsigned hops;               /* bit h: the target has hop h; bit 16 + c:
                                    it has LL_HOP_XOR with the control c */
    unsigned swaps;              /* OR of the lane bits, as lane numbers, that
                                    an instruction swaps with register bits */
    unsigned banks[2][LL_MAX_WIDTHS];
    unsigned phase[2][LL_MAX_WIDTHS][6];
} ll_target;

/* Private: packs up to n names of bits, from bit 0 up, into digits of a form:
 * `b3` is bit 3 of the byte in its row, `r3` is bit 3 of the lane that names
 * the row. Digits without a name are f. */
LL_FN ll_form ll_form_digits_(const char *bits, unsigned n) {
    ll_form form = 0;
    for (unsigned k = 0; k < n; ++k) {
        const unsigned row = *bits == 'r' ? 8u : 0u;
        const unsigned digit = *bits ? row + (unsigned)(bits[1] - '0') : 15u;
        form |= (ll_form)digit << 4u * k;
        bits += *bits ? bits[2] ? 3 : 2 : 0;
    }
    return form;
}

/* Private: encodes a form as a manual's table states it. `most`, `fewest`: log2
 * of the most and the fewest bytes per lane. `row`: log2 of the bytes of a row.
 * `lane`, `byte`: the meaning of each bit of the lane that moves a byte, and of
 * the byte's number in that lane. */
LL_FN ll_form ll_form_of_(unsigned most, unsigned fewest, unsigned row,
                          const char *lane, const char *byte) {
    return (ll_form)(most << 8 | fewest << 4 | row) << 40 |
           ll_form_digits_(lane, 6) << 16 | ll_form_digits_(byte, 4);
}

/* A rule says which targets have an instruction (ll_ptx_has, ll_amd_has). A
 * name is divided into parts at `.`, `_` and blanks. A rule applies to a name
 * if its first word matches the first part of the name and each of its other
 * words matches some part. A `*` at the start or the end of a word matches any
 * characters. If several rules apply, the last one decides. */
typedef struct ll_rule_ {
    const char *words;
    const char *targets;
} ll_rule_;

/* Private: returns the number of characters of the first part of a name. */
LL_FN unsigned ll_name_part_(const char *text) {
    unsigned n = 0;
    while (text[n] && text[n] != '.' && text[n] != '_' && text[n] != ' ') {
        ++n;
    }
    return n;
}

/* Private: returns the name from its second part on, which may be empty. */
LL_FN const char *ll_name_next_part_(const char *text) {
    text += ll_name_part_(text);
    return *text ? text + 1 : text;
}

/* Private: returns 1 if the first word of `word` matches part 1 of `part`. */
LL_FN int ll_name_matches_(const char *part, const char *word) {
    const unsigned n = ll_name_part_(part);
    const unsigned m = ll_name_part_(word);
    const unsigned head = m && word[0] == '*';
    const unsigned tail = !head && m && word[m - 1u] == '*';
    const unsigned same = m - head - tail;
    const unsigned from = head && n >= same ? n - same : 0u;
    int like = head || tail ? n >= same : n == same;
    for (unsigned k = 0; like && k < same; ++k) {
        like = part[from + k] == word[head + k];
    }
    return like;
}

/* Private: returns 1 if a rule with these words applies to a name. */
LL_FN int ll_rule_speaks_(const char *words, const char *name) {
    int speaks = ll_name_matches_(name, words);
    for (words = ll_name_next_part_(words); speaks && *words;
         words = ll_name_next_part_(words)) {
        speaks = 0;
        for (const char *p = name; *p && !speaks; p = ll_name_next_part_(p)) {
            speaks = ll_name_matches_(p, words);
        }
    }
    return speaks;
}

/* Private: returns the targets of the last rule for a name; "" without one. */
LL_FN const char *ll_rule_targets_(const ll_rule_ *rule, unsigned n,
                                   const char *name) {
    while (n && !ll_rule_speaks_(rule[n - 1u].words, name)) {
        --n;
    }
    return n ? rule[n - 1u].targets : "";
}

/* Private: returns 1 if the target is valid and its numbers of banks, lanes and
 * bytes are powers of two that the planner can use. */
LL_FN int ll_is_target_(const ll_target *t) {
    int known = !t->err;
    for (unsigned k = 0; k < 6u; ++k) {
        known = known && ll_log2_(t->banks[k / 3u][k % 3u]) <= 16u;
    }
    return known && ll_log2_(t->lanes) <= 6u &&
           ll_log2_(t->bank_bytes) <= 4u && ll_log2_(t->access_bytes) <= 4u;
}

/* Private: returns the target without matrix accesses for operation `op`. */
LL_FN ll_target ll_without_forms_(ll_target t, unsigned op) {
    for (unsigned k = 0; k < LL_MAX_FORMS; ++k) {
        t.forms[op][k] = 0;
    }
    return t;
}

/* The digits of a form: digits 0 to 3 are for the bits of a byte's number in
 * its lane, 4 to 9 for the bits of that lane. LL_DIGITS_ is their number. */
#define LL_LANE_DIGITS_ 4u
#define LL_DIGITS_ 10u
/* Private: returns digit k of a form. */
LL_FN unsigned ll_form_digit_(ll_form form, unsigned k) {
    return (unsigned)(form >> 4u * k) & 15u;
}

/* Private: returns log2 of the bytes of a row. */
LL_FN unsigned ll_form_row_bits_(ll_form form) {
    return ll_form_digit_(form, 10);
}

/* Private: returns 1 if a form keeps elements of 2^scale bytes whole. */
LL_FN int ll_form_takes_(ll_form form, unsigned scale) {
    int takes = form && scale < 4u;
    for (unsigned k = 0; takes && k < scale; ++k) {
        takes = ll_form_digit_(form, k) == k;
    }
    return takes;
}

/* Private: returns 1 if a form keeps the 4 bytes of a word together, so that
 * the elements of a word lie in one row. */
LL_FN int ll_form_is_wordwise_(ll_form form) {
    return ll_form_digit_(form, 0) == 0 && ll_form_digit_(form, 1) == 1u;
}

/* Private: returns the number of the digit with the value d: below
 * LL_LANE_DIGITS_ a bit of the byte, from there on a bit of the lane, and
 * LL_DIGITS_ if no digit has this value. */
LL_FN unsigned ll_form_stands_for_(ll_form form, unsigned d) {
    unsigned k = 0;
    while (k < LL_DIGITS_ && ll_form_digit_(form, k) != d) {
        ++k;
    }
    return k;
}

/* ---- plan/hardware: Layouts over hardware ----------------------------- */

/* Plans take layouts with the inputs register, lane, warp and block, in that
 * order. The functions here bring layouts to that form, and map the places of
 * one layout to places of another. */

/* Private: returns the layout with the inputs register, lane, warp and block,
 * in that order. Fails with LL_EHARDWARE if it has other inputs. */
LL_FN ll_layout ll_hardware_(ll_layout a) {
    const ll_dim names[] = {LL_REGISTER, LL_LANE, LL_WARP, LL_BLOCK};
    ll_shape in = LL_ZERO;
    for (unsigned k = 0; k < 4u; ++k) {
        unsigned at = ll_shape_find_(&a.in, names[k]);
        in = ll_shape_add_(in, names[k], at < a.in.n ? a.in.bits[at] : 0u);
    }
    return a.err || !ll_shape_fits_(&a.in, &in, 0)
               ? ll_layout_bad_(a, LL_EHARDWARE)
               : ll_layout_from_(a, &in);
}

/* Private: returns the threads per block of hardware layout a. */
LL_FN unsigned ll_threads_of_(const ll_layout *a) {
    return ll_ones_(a->in.bits[1] + a->in.bits[2]) + 1u;
}

/* Private: returns a with input d at least as large as in b; adds copies. */
LL_FN ll_layout ll_with_input_(ll_layout a, const ll_layout *b, unsigned d) {
    unsigned bits = b->in.bits[d];
    return a.err || b->err || bits > 31u || a.in.bits[d] >= bits
               ? a
               : ll_resize_in(a, a.in.dim[d], 1u << bits);
}

/* Private: returns a with at least as many warps as b. */
LL_FN ll_layout ll_with_warps_(ll_layout a, const ll_layout *b) {
    return ll_with_input_(a, b, 2);
}

/* Private: returns a with at least as many warps and blocks as b. */
LL_FN ll_layout ll_with_blocks_(ll_layout a, const ll_layout *b) {
    return ll_with_input_(ll_with_input_(a, b, 2), b, 3);
}

/* Private: returns a hardware layout without its block input: block 0's. */
LL_FN ll_layout ll_in_block_(ll_layout a) {
    unsigned n = ll_shape_start_(&a.in, 3);
    for (unsigned k = n; !a.err && k < ll_shape_bits_(&a.in); ++k) {
        a.basis[k] = 0;
    }
    a.in.n = a.err ? a.in.n : 3u;
    return a;
}

/* Private: returns the bits that an element occupies: 6 bits take the low bits
 * of a byte, as in matrix operands of kind f8f6f4. */
LL_FN unsigned ll_element_held_(unsigned element_bits) {
    return element_bits == 6u ? 8u : element_bits;
}

/* Private: returns log2 of the bytes of an element; 5 for an invalid size. */
LL_FN unsigned ll_element_scale_(unsigned element_bits) {
    unsigned log = ll_log2_(ll_element_held_(element_bits));
    return log >= 3u && log <= 7u ? log - 3u : 5u;
}

/* Private: returns the map from the places of b to the places of a that hold
 * the same elements, or the error of a conversion from a to b. */
LL_FN ll_layout ll_places_map_(const ll_layout *a, const ll_layout *b,
                               unsigned element_bits, const ll_target *t,
                               unsigned policy) {
    ll_layout bad = ll_layout_worst_(*a, *b);
    if (bad.err) {
        return bad;
    }
    if (!ll_is_target_(t)) {
        return ll_layout_bad_(bad, t->err ? t->err : (unsigned)LL_ETARGET);
    }
    if (ll_element_scale_(element_bits) > 4u) {
        return ll_layout_bad_(bad, LL_EELEMENT);
    }
    if (a->in.bits[1] != ll_log2_(t->lanes) || a->in.bits[1] != b->in.bits[1]) {
        return ll_layout_bad_(bad, LL_ELANES);
    }
    return ll_solve(*a, *b, policy);
}

/* ---- plan/banks: Banks and their conflicts ---------------------------- */

/* The busiest bank determines the wavefronts of a warp's access: one for each
 * word that it serves. Over F2 all banks in use are equally busy: the lanes of
 * a phase touch 2^(rank of the words) words in 2^(rank of the banks) banks.
 * log2 of the wavefronts of a phase is therefore a difference of two ranks; it
 * is 0 without conflicts. It is exact, also with broadcast. */

/* How the registers of a lane map to memory. Positions number the elements of a
 * lane in the order in which accesses take them. Positions that differ only in
 * the lowest `vector` bits are neighbours in memory, one access. */
typedef struct ll_access {
    unsigned err;
    unsigned vector;             /* log2 of the elements in one access */
    unsigned n;                  /* log2 of the positions */
    unsigned first;              /* register of position 0 */
    unsigned offset;             /* place of position 0 in thread 0 */
    unsigned reg[LL_MAX_BITS];   /* register of bit k of a position */
    unsigned place[LL_MAX_BITS]; /* place in memory of bit k of a position */
    unsigned copies;             /* log2 of the registers per element */
    unsigned copy[LL_MAX_BITS];  /* a register ^ copy[k] has the same element */
    unsigned spare; /* a thread with one of these bits holds only copies */
} ll_access;

/* Private: returns the OR of the columns from n on. */
LL_FN unsigned ll_columns_beyond_(const ll_layout *a, unsigned n) {
    const unsigned end = ll_shape_bits_(&a->in);
    unsigned all = 0;
    for (unsigned k = n; k < end; ++k) {
        all |= a->basis[k];
    }
    return all;
}

/* Private: sets `first`, `offset` and `vector` of an access. The vector is the
 * longest run of up to 2^widest places from 0 on that the registers (the first
 * n columns) reach and no thread changes. Returns the bits of its places as
 * rows, with the registers that reach them as mixes. */
LL_FN ll_echelon_ ll_vector_of_(const ll_layout *a, unsigned n, unsigned widest,
                                ll_access *m) {
    ll_echelon_ r = ll_echelon_of_columns_(a, 0, n);
    ll_echelon_ taken = LL_ZERO;
    for (unsigned k = 0; k < widest; ++k) {
        ll_echelon_load_(&r, 1u << k, 0);
    }
    ll_echelon_load_(&r, a->offset, 0);
    ll_echelon_eliminate_(&r, 0, n);
    m->first = ll_echelon_mix_(&r, n + widest);
    m->offset = ll_echelon_vector_(&r, n + widest);
    const unsigned others = ll_columns_beyond_(a, n) | m->offset;
    while (m->vector < widest && !(others >> m->vector & 1u) &&
           ll_echelon_vector_(&r, n + m->vector) == 0) {
        ll_echelon_load_(&taken, 1u << m->vector,
                         ll_echelon_mix_(&r, n + m->vector));
        ++m->vector;
    }
    return taken;
}

/* Private: returns how the registers of a lane, the first input of a, map to
 * memory. The outputs of a are packed places, and an access takes at most
 * 2^widest of them. Registers are reordered and combined freely to make the
 * vector as long as possible. Other positions take single registers if
 * possible. (Paper, section 5.3, "Generalized Vectorization".) */
LL_FN ll_access ll_access_meet_(const ll_layout *a, unsigned widest) {
    ll_access m = LL_ZERO;
    ll_echelon_ kernel = LL_ZERO;
    const unsigned n = a->in.bits[0];
    ll_echelon_ r = ll_vector_of_(a, n, widest, &m);
    for (unsigned k = 0; k < n; ++k) {
        ll_echelon_load_(&r, a->basis[k], 1u << k);
    }
    ll_echelon_eliminate_(&r, 0, m.vector);
    const ll_echelon_ apart = r;
    ll_echelon_eliminate_(&r, m.vector, r.n);
    for (unsigned k = 0; k < r.n; ++k) {
        if (ll_echelon_vector_(&r, k)) {
            m.place[m.n] = ll_echelon_vector_(&apart, k);
            m.reg[m.n] = ll_echelon_mix_(&apart, k);
            ++m.n;
        } else {
            ll_echelon_load_(&kernel, ll_echelon_mix_(&r, k), 0);
        }
    }
    ll_echelon_eliminate_(&kernel, 0, kernel.n);
    for (unsigned k = 0; k < kernel.n; ++k) {
        if (ll_echelon_vector_(&kernel, k)) {
            m.copy[m.copies] = ll_echelon_vector_(&kernel, k);
            ++m.copies;
        }
    }
    return m;
}

/* Private: returns the address of a lane; lane[k] belongs to lane bit k. */
LL_FN unsigned ll_lane_address_(const unsigned *lane, unsigned number) {
    unsigned address = 0;
    for (unsigned k = 0; k < 6u && number >> k; ++k) {
        address ^= number >> k & 1u ? lane[k] : 0u;
    }
    return address;
}

/* The lanes that shared memory serves together: a basis of their numbers. */
typedef struct ll_phase_ {
    unsigned n;
    unsigned number[6];
} ll_phase_;

/* Private: returns the index of an access of `bytes` bytes in the tables
 * `phase` and `banks` of a target. */
LL_FN unsigned ll_access_width_(unsigned bytes) {
    return bytes <= 4u ? 0u : bytes <= 8u ? 1u : 2u;
}

/* Private: returns the lanes of one phase; lane[k]: address of lane bit k. Two
 * phases of a wide read merge if a lane bit of `merge` has the address 0. */
LL_FN ll_phase_ ll_phase_of_(const unsigned *lane, unsigned bytes, unsigned op,
                             const ll_target *t) {
    ll_phase_ p = LL_ZERO;
    const unsigned width = ll_access_width_(bytes);
    unsigned ignored = 0;
    while (p.n < 6u && t->phase[op][width][p.n]) {
        p.number[p.n] = t->phase[op][width][p.n];
        ++p.n;
    }
    for (unsigned k = 0; op == LL_READ && width && k < 6u; ++k) {
        ignored |= (t->merge >> k & 1u) && lane[k] == 0;
    }
    if (ignored && p.n < 6u && 1u << p.n < t->lanes) {
        p.number[p.n] = 1u << p.n;
        ++p.n;
    }
    return p;
}

/* Private: returns the wavefronts of one access of a warp; lane[k] is the byte
 * address of lane bit k. The words that a phase touches span a subspace of rank
 * w, and their banks a subspace of rank b, so each bank serves 2^(w - b) words.
 * Equal words count once, which covers broadcast and elements below 4 bytes.
 * Sets *least to the wavefronts without conflicts. */
LL_FN unsigned ll_access_waves_(const unsigned *lane, unsigned bytes,
                                unsigned op, const ll_target *t,
                                unsigned *least) {
    const ll_phase_ p = ll_phase_of_(lane, bytes, op, t);
    const unsigned bank = t->banks[op][ll_access_width_(bytes)] - 1u;
    ll_echelon_ words = LL_ZERO;
    ll_echelon_ banks = LL_ZERO;
    for (unsigned k = 0; k < p.n; ++k) {
        ll_echelon_load_(
            &words, ll_lane_address_(lane, p.number[k]) / t->bank_bytes, 0);
    }
    for (unsigned word = 1; word * t->bank_bytes < bytes; word *= 2u) {
        ll_echelon_load_(&words, word, 0);
    }
    for (unsigned k = 0; k < words.n; ++k) {
        ll_echelon_load_(&banks, ll_echelon_vector_(&words, k) & bank, 0);
    }
    *least = t->lanes >> p.n;
    return *least << (ll_echelon_rank_(&words) - ll_echelon_rank_(&banks));
}

/* Private: returns log2 of the elements of 2^scale bytes in a word. */
LL_FN unsigned ll_word_bits_(unsigned scale) {
    return scale < 2u ? 2u - scale : 0u;
}

/* Private: sets lane[k] to the byte address of lane bit k. The outputs of x are
 * offsets, counted in elements of 2^scale bytes. */
LL_FN void ll_lane_bytes_(const ll_layout *x, unsigned scale, unsigned *lane) {
    for (unsigned k = 0; k < 6u; ++k) {
        lane[k] = k < x->in.bits[1]
                      ? ll_shift_(x->basis[x->in.bits[0] + k], scale)
                      : 0u;
    }
}

/* ll_vector(a, most): returns the largest number of elements, at most `most`,
 * that a lane holds as an aligned run along the fastest axis, with its
 * registers in any order. It is the widest access to row-major memory.
 * Example: ll_vector(L("register: j0 j1 | lane: j2"), 8) is 4;
 */
LL_FN unsigned ll_vector(ll_layout a, unsigned most) {
    const ll_layout h = ll_hardware_(a);
    unsigned n = h.out.bits[0];
    while (n && ll_shift_down_(most, n) == 0) {
        --n;
    }
    return h.err || most == 0 ? 0u : 1u << ll_access_meet_(&h, n).vector;
}

/* ll_widest(a, m, element_bits, most): returns the most bytes, at most `most`,
 * that one access of a lane can move between registers of layout a, in any
 * order, and contiguous memory of layout m. Returns 0 if m does not hold every
 * element of a, or if no lane holds both 4-bit elements of a byte.
 * Example: ll_widest(L("register: j1 j0 | lane: i0"),
 *                    L("offset: j0 j1 i0"), 32, 16) is 16;
 * Example: ll_widest(L("register: j1 j0 | lane: i0"),
 *                    L("offset: j0 j1 i0"), 4, 16) is 2;
 * Example: ll_widest(L("register: j1 | lane: j0"), L("offset: j0 j1"), 4, 16)
 *          is 0;
 */
LL_FN unsigned ll_widest(ll_layout a, ll_layout m, unsigned element_bits,
                         unsigned most) {
    const ll_layout x = ll_solve(m, ll_in_block_(ll_hardware_(a)), LL_FIRST);
    const unsigned bits = ll_log2_(ll_element_held_(element_bits));
    unsigned n = 0;
    most = 8u * (most < 16u ? most : 16u);
    if (x.err || bits < 2u || bits > 7u || 1u << bits > most) {
        return 0;
    }
    while (2u << (n + bits) <= most) {
        ++n;
    }
    return (1u << (ll_access_meet_(&x, n).vector + bits)) / 8u;
}

/* ll_wavefronts(a, m, element_bits, bytes, op, t): returns the wavefronts of
 * one access of a warp of target t. Each lane moves `bytes` bytes between
 * registers of layout a and memory of layout m; op is LL_READ or LL_WRITE. The
 * count is exact: it includes broadcast, elements below 4 bytes and the phases
 * of wide accesses. Returns 0 for impossible accesses (see ll_widest). (Paper,
 * appendix, "Modeling Bank Conflicts"; the lemma there is a bound.) */
LL_FN unsigned ll_wavefronts(ll_layout a, ll_layout m, unsigned element_bits,
                             unsigned bytes, unsigned op, ll_target t) {
    const ll_layout x = ll_solve(m, ll_in_block_(ll_hardware_(a)), LL_FIRST);
    unsigned lane[6] = LL_ZERO;
    unsigned least = 0;
    unsigned widest = ll_widest(a, m, element_bits, bytes);
    if (!ll_is_target_(&t) || op > LL_WRITE || widest < bytes ||
        widest == 0 || x.in.bits[1] != ll_log2_(t.lanes)) {
        return 0;
    }
    ll_lane_bytes_(
        &x, element_bits == 4u ? 0u : ll_element_scale_(element_bits), lane);
    for (unsigned k = 0; element_bits == 4u && k < 6u; ++k) {
        lane[k] /= 2u;
    }
    return ll_access_waves_(lane, bytes, op, &t, &least);
}

/* ---- plan/nibbles: Elements of 4 bits --------------------------------- */

/* Two elements of 4 bits share a byte, in registers and in memory. The element
 * with the lower number is in the low half. Plans for them move bytes. If both
 * sides hold elements e and e ^ u in registers, for a vector u of the tensor,
 * each byte is such a pair, and the plan is for the tensor without u. If u is
 * the column of a register bit other than 0, swapping nibbles within the lane
 * moves it to bit 0. Without such a u, or if another column has a component
 * along it, the elements move apart, one in the low half of each byte. */

/* How the nibbles of a lane are rearranged before or after the steps of a plan.
 * Any other number k up to 31 swaps register bits 0 and k. */
enum { LL_STAY = 0, LL_APART = LL_MAX_BITS };

/* How the elements of 4 bits of two sides are paired to bytes. */
typedef struct ll_pairs_ {
    unsigned u;      /* XOR of the two elements of a byte; 0: apart */
    unsigned before; /* of the source: LL_STAY, a register bit, LL_APART */
    unsigned after;  /* of the result */
} ll_pairs_;

/* Private: returns the instructions per word to swap register bits 0 and k.
 * Within a word these are two shifts and two bitwise selects. Two words that
 * exchange nibbles take these four together. */
LL_FN unsigned ll_nibble_cost_(unsigned k) {
    return k == 0 ? 0u : k < 3u ? 4u : 2u;
}

/* Private: adds the columns of c but column k, and its offset from `offset`. */
LL_FN void ll_span_add_others_(ll_span_ *l, const ll_layout *c, unsigned k,
                               unsigned offset) {
    ll_span_ columns = ll_span_of_columns_(c, 0, ll_shape_bits_(&c->in));
    ll_span_ rest = LL_ZERO;
    columns.v[k] = columns.n ? 0u : columns.v[k];
    ll_span_push_(&rest, c->offset ^ offset);
    ll_span_append_(l, &columns, LL_MAX_BITS);
    ll_span_append_(l, &rest, LL_MAX_BITS);
}

/* Private: returns 1 if u is not 0 and lies outside the span of the others.
 * Every byte is then a pair, always in the same order. */
LL_FN int ll_is_pair_(unsigned u, const ll_span_ *others) {
    ll_span_ one = LL_ZERO;
    ll_span_push_(&one, u);
    return u && ll_in_span_(&one, others) == 0;
}

/* Private: returns the cheapest way to pair elements of a and b, which have
 * their registers first. A tie goes to the lowest registers. If `only` is not
 * 0, pairs differ in that vector. */
LL_FN ll_pairs_ ll_pairs_of_(const ll_layout *a, const ll_layout *b,
                             unsigned only) {
    ll_pairs_ best = {0, a->in.bits[0] ? (unsigned)LL_APART : 0u,
                      b->in.bits[0] ? (unsigned)LL_APART : 0u};
    unsigned cost = ~0u;
    for (unsigned k = 0; k < a->in.bits[0]; ++k) {
        for (unsigned m = 0; m < b->in.bits[0]; ++m) {
            const unsigned c = ll_nibble_cost_(k) + ll_nibble_cost_(m);
            ll_span_ others = LL_ZERO;
            if (c >= cost || a->basis[k] != b->basis[m] ||
                (only && a->basis[k] != only)) {
                continue;
            }
            ll_span_add_others_(&others, a, k, a->offset);
            ll_span_add_others_(&others, b, m, a->offset);
            if (ll_is_pair_(a->basis[k], &others)) {
                best.u = a->basis[k];
                best.before = k;
                best.after = m;
                cost = c;
            }
        }
    }
    return best;
}

/* Private: returns y in the tensor without u: clears the lowest bit of u in y
 * by an XOR with u, and removes this bit. */
LL_FN unsigned ll_modulo_(unsigned y, unsigned u) {
    const unsigned low = u & (0u - u);
    const unsigned z = y & low ? y ^ u : y;
    return (z & (low - 1u)) | (z >> 1 & ~(low - 1u));
}

/* Private: returns the layout of the pairs that differ in u: swaps register (or
 * offset) bits k and 0, then removes bit 0 and u. */
LL_FN ll_layout ll_nibbles_paired_(const ll_layout *a, unsigned k, unsigned u) {
    const unsigned n = ll_shape_bits_(&a->in);
    ll_layout p = *a;
    unsigned d = 0;
    while (ll_shift_down_(u & (0u - u), ll_shape_start_(&a->out, d + 1u))) {
        ++d;
    }
    --p.out.bits[d];
    p.basis[k] = a->basis[0];
    for (unsigned c = 0; c < n; ++c) {
        p.basis[c] = c + 1u < n ? ll_modulo_(p.basis[c + 1u], u) : 0u;
    }
    p.offset = ll_modulo_(a->offset, u);
    --p.in.bits[0];
    return p;
}

/* Private: returns the layout of elements of 4 bits that lie apart: the lowest
 * register bit, which selects the half of a byte, moves to the top. */
LL_FN ll_layout ll_nibbles_apart_(ll_layout a) {
    const unsigned n = a.in.bits[0];
    const unsigned half = a.basis[0];
    for (unsigned k = 0; k + 1u < n; ++k) {
        a.basis[k] = a.basis[k + 1u];
    }
    if (n) {
        a.basis[n - 1u] = half;
    }
    return a;
}

/* Private: turns memory m of the pairs of a into memory of elements of 4 bits.
 * a must hold every element of the other side. Offset bit 0 has the column u.
 * Every other column stands for two vectors that differ in u; the result takes
 * the vector in `space`, which contains the other columns of a but not u. */
LL_FN ll_layout ll_nibbles_unpaired_(const ll_layout *m, const ll_layout *a,
                                     ll_pairs_ p) {
    const unsigned below = (p.u & (0u - p.u)) - 1u;
    const unsigned n = m->in.bits[0] + 1u;
    ll_layout x = *m;
    ll_span_ space = LL_ZERO;
    x.out = a->out;
    ll_span_add_others_(&space, a, p.before, a->offset);
    for (unsigned k = 0; k < ll_shape_bits_(&x.out); ++k) {
        const ll_span_ unit = ll_span_units_(k, k + 1u);
        ll_span_ more = space;
        ll_span_append_(&more, &unit, LL_MAX_BITS);
        space = ll_is_pair_(p.u, &more) ? more : space;
    }
    for (unsigned k = n; k > 0; --k) {
        const unsigned y = k == n ? m->offset : m->basis[k - 1u];
        const unsigned from = k == n ? a->offset : 0u;
        const unsigned z = (y & below) | ll_shift_(y & ~below, 1);
        ll_span_ one = LL_ZERO;
        ll_span_push_(&one, z ^ from);
        *ll_solve_answer_(&x, k, n) = ll_in_span_(&one, &space) ? z : z ^ p.u;
    }
    x.basis[0] = p.u;
    x.in.bits[0] = (unsigned short)n;
    return x;
}

/* ---- plan/steps: Plans and their steps -------------------------------- */

/* A plan is a short list of steps. In each step, positions number the elements
 * of a lane in the order in which the step takes them. */

/* The kinds of plans, by the hardware that a conversion needs. LL_ANY and
 * LL_COPIES are requests to ll_plan_by: LL_COPIES asks for shared memory that
 * copies can fill from a row-major tile without passing through registers. */
enum {
    LL_NOTHING,
    LL_REGISTERS,
    LL_SHUFFLES,
    LL_SHARED,
    LL_CLUSTER,
    LL_ANY,
    LL_COPIES
};

/* The operations of a plan's steps. Here p is a position after the step, and
 * at.reg and at.place stand for ll_registers(&at, p) and ll_places(&at, p). */
enum {
    LL_OP_RENAME,     /* position p takes register (position) at.reg */
    LL_OP_SELECT,     /* position p takes position p ^ each at.reg[k] for which
                         thread & at.place[k] has an odd number of bits */
    LL_OP_SHUFFLE,    /* position p takes position at.reg of lane
                         thread map ^ at.place */
    LL_OP_SWAP,       /* position p takes position at.reg; then lanes exchange
                         words. The at.place of the highest position bit is a
                         lane bit. Lanes with this bit exchange the lower half
                         of their positions for the upper half of lanes
                         without it */
    LL_OP_STORE,      /* to shared memory, at thread map ^ at.place */
    LL_OP_SYNC_WARP,  /* a barrier of the warp */
    LL_OP_SYNC_BLOCK, /* a barrier of the block */
    LL_OP_SYNC_CLUSTER, /* a barrier of the cluster, and another one after the
                           loads */
    LL_OP_LOAD        /* from shared memory, at thread map ^ at.place */
};

/* One step of a plan. */
typedef struct ll_step {
    unsigned op;
    unsigned count;      /* instructions per lane */
    unsigned bits;       /* log2 of the positions after the step */
    unsigned pack;       /* log2 of the elements in a 32-bit word after it */
    unsigned form;       /* of an access: LL_FORM_VECTOR .. LL_FORM_BYTES */
    unsigned bytes;      /* of one access of one lane */
    unsigned wavefronts; /* of one access of a warp */
    unsigned least;      /* wavefronts of such an access without conflicts */
    unsigned joined;     /* 1 if one instruction makes two accesses */
    unsigned touched;    /* address bits that depend on the thread; these bits
                            of a place are XORed to the thread's address, the
                            others may be added */
    unsigned flip;       /* of a renaming: a thread with an odd number of these
                            bits takes position at.reg ^ flip_by */
    unsigned flip_by;
    unsigned dsmem;      /* of a load: the lowest place bit of the number of the
                            block to read from; 0: its own block */
    unsigned hops;       /* of a shuffle: hops of the target that it may use; 0
                            if the target has none */
    unsigned near;       /* of a shuffle: words, out of `count`, that use near
                            hops only */
    unsigned logic;      /* of a shuffle on a target with hops: instructions
                            outside the shared-memory pipe */
    ll_access at;        /* positions; places are bytes or lanes */
    ll_map thread;       /* thread number -> byte offset or lane */
} ll_step;

/* The steps that move the elements of one layout to another. */
#define LL_MAX_STEPS 5
typedef struct ll_plan {
    unsigned err;
    unsigned lanes;        /* of a warp */
    unsigned kind;         /* LL_NOTHING .. LL_CLUSTER */
    unsigned threads;      /* of a block */
    unsigned element_bits; /* that the steps move: 8 for elements of 4 and 6 */
    unsigned from_bits;    /* log2 of the registers before the steps */
    unsigned to_bits;      /* log2 of the registers after the steps */
    unsigned nibbles;      /* 1: the elements have 4 bits */
    unsigned pair;         /* XOR of the two elements of 4 bits in a byte; 0 if
                              they move apart */
    unsigned before;       /* of elements of 4 bits, before the steps: LL_STAY,
                              LL_APART (a register of the steps is one element)
                              or a register bit to swap with bit 0 */
    unsigned after;        /* the same after the steps */
    unsigned smem_bytes;   /* of shared memory per block */
    unsigned rank;         /* the lowest thread bit of the block's rank in its
                              cluster; 0: nothing depends on the rank */
    unsigned blocks;       /* log2 of the blocks that lanes load from; 0: only
                              their own block */
    unsigned passes;       /* log2 of the passes through shared memory */
    unsigned copies;       /* 1: of LL_COPIES; the stores are as wide as the
                              copies in their place */
    unsigned cycles;       /* of a warp, estimated */
    unsigned fewest;       /* bound of the wavefronts of stores and loads by
                              vectors, for any memory; 0: not known */
    unsigned next_kind;    /* of the best plan of another kind; .kind if none */
    unsigned next_cycles;  /* of the best plan of another kind */
    unsigned n;            /* steps */
    ll_step step[LL_MAX_STEPS];
    ll_layout memory; /* if memory is used: offset -> tensor, or in a cluster
                         offset, block -> tensor; for pairs, to the tensor
                         without the lowest bit of `pair` */
} ll_plan;

/* A tile of a row-major matrix as the lanes of a block load or store it. Places
 * are packed coordinates: the column in the lowest col_bits, the row above. */
typedef struct ll_tile {
    unsigned err;
    unsigned bytes;    /* of one access of one lane */
    unsigned pack;     /* log2 of the elements in a word of an access */
    unsigned col_bits; /* log2 of the columns of the tile */
    unsigned nibble;   /* of pairs of elements of 4 bits: the register bit to
                          swap with bit 0 after a load or before a store; 0:
                          none */
    unsigned touched;  /* place bits that depend on the thread, see ll_step */
    ll_access at;
    ll_map thread; /* thread number -> packed coordinates */
} ll_tile;

/* The cost for a warp to load or store a tile of a row-major matrix with rows
 * at multiples of 128 bytes. Memory is read and written by sectors of 32 bytes;
 * the two sectors of a half line come together. All accesses count alike. */
typedef struct ll_global {
    unsigned err;
    unsigned bytes;     /* of one access of one lane */
    unsigned count;     /* accesses, that is instructions, per lane */
    unsigned addresses; /* that a lane computes; other columns of a row use
                           immediate offsets */
    unsigned sectors;   /* that one access of a warp touches */
    unsigned halves;    /* halves of lines, 64 bytes, that it touches */
    unsigned lines;     /* lines of 128 bytes that it touches */
    unsigned whole;     /* sectors that all accesses of a warp touch together:
                           its traffic if a cache serves repeated sectors */
} ll_global;

/* Flags for loading or storing a tile. LL_STREAM: data is used once and may
 * leave caches early. LL_WIDE: accesses of 32 bytes if available. */
enum { LL_STREAM = 1, LL_WIDE = 2 };

/* ---- plan/accesses: Memory accesses of a step ------------------------- */

/* The registers that form one access of a step: by vectors or by matrices, for
 * stores to memory and loads from it. */

/* How one side accesses the lowest vectors of memory: the form and, for vector
 * accesses, the number of these vectors in one access. */
typedef struct ll_way_ {
    unsigned form;
    unsigned vector;
} ll_way_;

/* Private: returns, for each bit of the number of a lane that names a row, the
 * tensor vector by which the bit moves the row: the column of a lane bit, or a
 * register that is independent of the vectors of a row, or 0. */
LL_FN ll_span_ ll_matrix_rows_(const ll_layout *a, const ll_span_ *row,
                               ll_form form) {
    const ll_span_ regs = ll_span_of_columns_(a, 0, a->in.bits[0]);
    const ll_span_ more = ll_span_independent_(row, &regs);
    ll_span_ rows = LL_ZERO;
    unsigned next = 0;
    for (unsigned d = 8; d < 14u; ++d) {
        const unsigned k = ll_form_stands_for_(form, d);
        const int reg = k < LL_LANE_DIGITS_ && next < more.n;
        ll_span_push_(&rows,
                      reg ? more.v[next]
                      : k < LL_LANE_DIGITS_ || k == LL_DIGITS_
                          ? 0u
                          : a->basis[a->in.bits[0] + k - LL_LANE_DIGITS_]);
        next += reg ? 1u : 0u;
    }
    return rows;
}

/* Private: returns log2 of the 2^scale-byte elements in the widest access. */
LL_FN unsigned ll_widest_access_(unsigned scale, const ll_target *t) {
    unsigned bytes = ll_log2_(t->access_bytes);
    return bytes > scale ? bytes - scale : 0u;
}

/* Private: the same for the target's widest store or load. */
LL_FN unsigned ll_widest_by_(unsigned scale, unsigned op, const ll_target *t) {
    const unsigned widest = ll_widest_access_(scale, t);
    const unsigned store = ll_shift_down_(t->store_bytes, scale);
    return op == LL_WRITE && store && ll_log2_(store) < widest
               ? ll_log2_(store)
               : widest;
}

/* Private: returns the thread bits with columns that depend on earlier columns.
 * A thread with one of these bits holds only copies. */
LL_FN unsigned ll_spare_threads_(const ll_layout *x) {
    return ll_shift_down_(ll_free_bits(*x), x->in.bits[0]);
}

/* Private: returns log2 of the elements that fit in a word: 4 of one byte, 2 of
 * two, else 1. `pack` is log2 of the elements that a word does hold. */
LL_FN unsigned ll_elements_per_word_(unsigned element_bits) {
    return ll_word_bits_(ll_element_scale_(element_bits));
}

/* Private: returns the words per element; 1 if it is smaller than a word. */
LL_FN unsigned ll_element_words_(unsigned element_bits) {
    return element_bits > 32u ? element_bits / 32u : 1u;
}

/* Private: returns the words of 2^bits elements, 2^pack to a word. */
LL_FN unsigned ll_word_count_(unsigned bits, unsigned pack,
                              unsigned element_bits) {
    return (bits > pack ? 1u << (bits - pack) : 1u) *
           ll_element_words_(element_bits);
}

/* Private: returns the rank of the source words of one word, when a renaming
 * turns words of 2^before elements into words of 2^after elements. */
LL_FN unsigned ll_word_rank_(const ll_access *m, unsigned before,
                             unsigned after) {
    ll_echelon_ r = LL_ZERO;
    for (unsigned k = 0; k < after && k < m->n; ++k) {
        ll_echelon_load_(&r, m->reg[k] >> before, 0);
    }
    return ll_echelon_rank_(&r);
}

/* Private: returns 1 if a renaming from words of 2^before elements to words of
 * 2^after elements leaves every element at its place within the word. */
LL_FN int ll_keeps_bytes_(const ll_access *m, unsigned before,
                          unsigned after) {
    int keeps = (m->first & ll_ones_(before)) == 0;
    for (unsigned k = 0; k < m->n; ++k) {
        /* cppcheck-suppress arrayIndexThenCheck ; it has m->n elements */
        keeps = keeps && (k < after ? m->reg[k] == 1u << k && k < before
                                    : !(m->reg[k] & ll_ones_(before)));
    }
    return keeps;
}

/* Private: returns the byte permutes of a renaming. A word from one or two
 * source words takes one permute. A word from four source words takes two on
 * average, because each of the first permutes serves two words. Elements of 32
 * bits or more take none, nor do words with all bytes in place. */
LL_FN unsigned ll_permutes_(const ll_access *m, unsigned element_bits,
                            unsigned before, unsigned after) {
    const unsigned words = ll_word_count_(m->n, after, element_bits);
    const unsigned rank = ll_word_rank_(m, before, after);
    return ll_elements_per_word_(element_bits) == 0 ? 0u
           : rank > 1u                              ? 2u * words
           : ll_keeps_bytes_(m, before, after)      ? 0u
                                                    : words;
}

/* Private: returns the byte permutes of an access step: from registers to its
 * positions before a store, or back after a load. */
LL_FN unsigned ll_permutes_beside_(const ll_step *s) {
    const unsigned scale = ll_log2_(s->bytes) - s->at.vector;
    const unsigned held = s->at.n + s->at.copies;
    const unsigned most = ll_word_bits_(scale);
    const unsigned word = most < held ? most : held;
    if (word == 0 || (word == s->pack && ll_keeps_bytes_(&s->at, word, word))) {
        return 0;
    }
    /* The source words of a word. A load also fills each word from all the
     * 2^(word - pack) access words that hold its elements. */
    const int load = s->op == LL_OP_LOAD;
    const unsigned x = s->pack > 0 ? s->at.reg[0] >> word : 0u;
    const unsigned y = s->pack > 1u ? s->at.reg[1] >> word : 0u;
    const unsigned rank = (x ? 1u : 0u) + (y && y != x ? 1u : 0u) +
                          (load ? word - s->pack : 0u);
    const unsigned words = 1u << (load ? held - word : s->at.n - s->pack);
    return rank > 1u ? 2u * words : words;
}

/* Private: the cost of an access in byte permutes. From 9 on, no conversion
 * takes more LDS instructions on gfx950 than Triton's code for it. */
#define LL_ACCESS_ 9u

/* Private: returns a cost as one number: wavefronts, then accesses. */
LL_FN unsigned long long ll_cost_weigh_(unsigned waves, unsigned accesses) {
    return ((unsigned long long)waves << 32) + accesses * LL_ACCESS_;
}

/* Private: returns the cost of the accesses of a step. */
LL_FN unsigned long long ll_step_bare_cost_(const ll_step *s) {
    return ll_cost_weigh_(s->count * s->wavefronts, s->count >> s->joined);
}

/* Private: returns this cost plus the byte permutes of the step. */
LL_FN unsigned long long ll_step_cost_(const ll_step *s) {
    return ll_step_bare_cost_(s) + ll_permutes_beside_(s);
}

/* Private: joins the accesses of x in pairs if one instruction can make both.
 * Among register bits with a distance that no thread changes, moves the bit
 * with the shortest distance next to the vector. The instruction has 8 bits for
 * the distance, in units of one access or of 64 accesses. */
LL_FN void ll_step_join_(ll_step *s, const ll_layout *x) {
    const unsigned touched =
        ll_columns_beyond_(x, x->in.bits[0]) | s->at.offset;
    const unsigned to = s->at.vector;
    unsigned k = s->at.n;
    for (unsigned m = to; m < s->at.n; ++m) {
        k = !(s->at.place[m] & touched) &&
                    (k == s->at.n || s->at.place[m] < s->at.place[k])
                ? m
                : k;
    }
    const unsigned far = k < s->at.n ? s->at.place[k] >> to : 0u;
    s->joined = (s->bytes == 4u || s->bytes == 8u) && far &&
                (far < 256u || (far % 64u == 0 && far < 256u * 64u));
    if (s->joined) {
        const unsigned reg = s->at.reg[k];
        const unsigned place = s->at.place[k];
        s->at.reg[k] = s->at.reg[to];
        s->at.place[k] = s->at.place[to];
        s->at.reg[to] = reg;
        s->at.place[to] = place;
    }
}

/* Private: returns the step that stores or loads the places x by vector
 * accesses. It tries lengths from the longest down to the first length without
 * conflicts, and keeps the longest length with the fewest wavefronts. */
LL_FN ll_step ll_step_by_vectors_(const ll_layout *x, unsigned scale,
                                  unsigned op, const ll_target *t) {
    ll_step s = LL_ZERO;
    unsigned lane[6] = LL_ZERO;
    unsigned best = ~0u;
    ll_lane_bytes_(x, scale, lane);
    ll_access at = ll_access_meet_(x, ll_widest_by_(scale, op, t));
    int clash = 1;
    for (unsigned v = at.vector + 1u; clash && v-- > 0;) {
        unsigned least = 0;
        unsigned bytes = 1u << (v + scale);
        unsigned w = ll_access_waves_(lane, bytes, op, t, &least);
        clash = w > least;
        unsigned cost = w << (at.n - v);
        if (cost < best) {
            best = cost;
            s.bytes = bytes;
            s.wavefronts = w;
            s.least = least;
            s.at.vector = v;
        }
    }
    at.vector = s.at.vector;
    s.at = at;
    s.count = 1u << (at.n - at.vector);
    s.pack = ll_word_bits_(scale);
    s.pack = s.pack < at.vector ? s.pack : at.vector;
    s.op = op == LL_READ ? LL_OP_LOAD : LL_OP_STORE;
    s.bits = at.n;
    if (t->pairs) {
        ll_step_join_(&s, x);
    }
    return s;
}

/* Private: returns the place in a row, in elements, that a digit of a form
 * stands for; 0 if it does not stand for a byte of a row. */
LL_FN unsigned ll_row_place_(unsigned digit, unsigned scale) {
    return digit < 8u ? 1u << digit >> scale : 0u;
}

/* Private: returns the registers of x in the order in which a matrix form takes
 * them. The lanes of x fit the form. A register bit that moves within a row is
 * assigned to the position bit that stands for it. */
LL_FN ll_access ll_in_rows_(const ll_layout *x, ll_form form, unsigned scale) {
    ll_access at = ll_access_meet_(x, LL_LANE_DIGITS_ - scale);
    for (unsigned b = scale; b < LL_LANE_DIGITS_; ++b) {
        const unsigned place = ll_row_place_(ll_form_digit_(form, b), scale);
        const unsigned to = b - scale;
        for (unsigned k = 0; to < at.n && k < at.n; ++k) {
            if (at.place[k] == place) {
                const unsigned reg = at.reg[k];
                at.reg[k] = at.reg[to];
                at.place[k] = at.place[to];
                at.reg[to] = reg;
                at.place[to] = place;
            }
        }
    }
    return at;
}

/* Private: returns 1 if the lane bits of x that stand for bytes of a row have
 * their places there, and the other thread bits and the offset reach no place
 * inside a row. This rejects most layouts without matrices. */
LL_FN int ll_lanes_fit_(const ll_layout *x, ll_form form, unsigned scale) {
    const unsigned regs = x->in.bits[0];
    const unsigned n = ll_shape_bits_(&x->in) - regs;
    const unsigned inside = ll_ones_(ll_form_row_bits_(form) - scale);
    int fits = (x->offset & inside) == 0;
    for (unsigned k = 0; fits && k < n; ++k) {
        const unsigned d =
            k < x->in.bits[1] ? ll_form_digit_(form, LL_LANE_DIGITS_ + k) : 15u;
        const unsigned y = x->basis[regs + k];
        fits = d < 8u ? y == ll_row_place_(d, scale) : !(y & inside);
    }
    return fits;
}

/* Private: returns 1 if the position bits that stand for bytes of a row have
 * their places there, and the others reach no place inside a row. */
LL_FN int ll_registers_fit_(const ll_access *at, ll_form form,
                            unsigned scale) {
    const unsigned inside = ll_ones_(ll_form_row_bits_(form) - scale);
    int fits = 1;
    for (unsigned k = 0; fits && k < at->n; ++k) {
        const unsigned d =
            k + scale < LL_LANE_DIGITS_ ? ll_form_digit_(form, k + scale) : 15u;
        fits = d < 8u ? at->place[k] == ll_row_place_(d, scale)
                      : !(at->place[k] & inside);
    }
    return fits;
}

/* Private: sets lane[k] to what lane bit k adds to the place of the row named.
 * Returns log2 of the lanes that name rows. */
LL_FN unsigned ll_row_lanes_(const ll_layout *x, const ll_access *at,
                             ll_form form, unsigned scale, unsigned *lane) {
    unsigned n = 0;
    for (unsigned d = 8; d < 14u; ++d) {
        const unsigned k = ll_form_stands_for_(form, d);
        const int reg = k < LL_LANE_DIGITS_ && k - scale < at->vector;
        const int is_lane = k >= LL_LANE_DIGITS_ && k < LL_DIGITS_;
        lane[d - 8u] = reg ? at->place[k - scale]
                       : is_lane
                           ? x->basis[x->in.bits[0] + k - LL_LANE_DIGITS_]
                           : 0u;
        n += reg || is_lane ? 1u : 0u;
    }
    return n;
}

/* Private: returns the step that stores or loads the places x by matrices, with
 * the most matrices per instruction. `wavefronts` is 0 if the form does not
 * fit. Rows count as vectors whose phases never merge. */
LL_FN ll_step ll_step_by_matrices_(const ll_layout *x, unsigned form,
                                   unsigned scale, unsigned op,
                                   const ll_target *t) {
    const ll_form code = t->forms[op][form];
    unsigned rows[6] = LL_ZERO;
    ll_target apart = *t;
    ll_step s = LL_ZERO;
    s.op = op == LL_READ ? LL_OP_LOAD : LL_OP_STORE;
    if (!ll_form_takes_(code, scale) || 1u << x->in.bits[1] != t->lanes ||
        !ll_lanes_fit_(x, code, scale) ||
        (ll_spare_threads_(x) & (t->lanes - 1u))) {
        return s;
    }
    const unsigned least = ll_form_digit_(code, 11) - scale;
    const unsigned most = ll_form_digit_(code, 12) - scale;
    s.at = ll_in_rows_(x, code, scale);
    if (s.at.n < least || (s.at.copies && op == LL_WRITE) ||
        !ll_registers_fit_(&s.at, code, scale)) {
        return s;
    }
    s.form = form;
    s.at.vector = s.at.n < most ? s.at.n : most;
    s.pack = ll_word_bits_(scale);
    s.bits = s.at.n;
    s.bytes = 1u << (s.at.vector + scale);
    s.count = 1u << (s.at.n - s.at.vector);
    const unsigned n = ll_row_lanes_(x, &s.at, code, scale, rows);
    for (unsigned k = 0; k < 6u; ++k) {
        rows[k] <<= scale;
    }
    apart.merge = 0;
    s.wavefronts = (ll_access_waves_(rows, 1u << ll_form_row_bits_(code), op,
                                     &apart, &s.least)
                    << n) /
                   t->lanes;
    s.least = (s.least << n) / t->lanes;
    return s;
}

/* Private: returns the cheapest step that stores or loads the places x. */
LL_FN ll_step ll_step_cheapest_(const ll_layout *x, unsigned scale, unsigned op,
                                const ll_target *t) {
    ll_step best = ll_step_by_vectors_(x, scale, op, t);
    for (unsigned form = LL_FORM_MATRIX; form < LL_MAX_FORMS; ++form) {
        if (t->forms[op][form]) {
            const ll_step s = ll_step_by_matrices_(x, form, scale, op, t);
            best = s.wavefronts && ll_step_cost_(&s) < ll_step_cost_(&best)
                       ? s
                       : best;
        }
    }
    return best;
}

/* Private: returns the cheapest step between registers a and memory m. */
LL_FN ll_step ll_step_between_(const ll_layout *a, const ll_layout *m,
                               unsigned scale, unsigned op,
                               const ll_target *t) {
    const ll_layout x = ll_solve(*m, *a, LL_FIRST);
    return ll_step_cheapest_(&x, scale, op, t);
}

/* ---- plan/tiles: Tiles in memory -------------------------------------- */

/* Addresses of tiles in global memory, and places of a step in bytes. */

/* Private: returns the map from the thread number (lane, then warp) to the
 * places of x for register 0. The first input of x is the register. `offset`
 * replaces the offset of x, and all places are multiplied by 2^scale. */
LL_FN ll_layout ll_thread_places_(const ll_layout *x, unsigned offset,
                                  unsigned scale) {
    const ll_shape none = LL_ZERO;
    unsigned n = x->in.bits[0];
    ll_layout thread = ll_zero(none, x->out);
    thread.in = ll_shape_add_(none, LL_LANE, ll_shape_bits_(&x->in) - n);
    thread.offset = ll_shift_(offset, scale);
    for (unsigned k = 0; k < thread.in.bits[0]; ++k) {
        thread.basis[k] = ll_shift_(x->basis[n + k], scale);
    }
    return thread;
}

/* Private: returns the map from the thread number to the tensor, for register 0
 * of a layout with hardware inputs. */
LL_FN ll_layout ll_thread_map_(ll_layout a) {
    const ll_layout h = ll_hardware_(a);
    return h.err ? h : ll_thread_places_(&h, h.offset, 0);
}

/* Private: completes a step for kernels: places in bytes, and the map from the
 * thread number to the byte offset. */
LL_FN ll_step ll_step_addressed_(ll_step s, const ll_layout *a,
                                 const ll_layout *m, unsigned scale,
                                 const ll_target *t) {
    const unsigned op = s.op == LL_OP_LOAD ? LL_READ : LL_WRITE;
    unsigned lane[6] = LL_ZERO;
    const ll_layout x = ll_solve(*m, *a, LL_FIRST);
    ll_layout thread = ll_thread_places_(&x, s.at.offset, 0);
    s.at.spare = ll_spare_threads_(&x);
    if (s.form != LL_FORM_VECTOR) {
        ll_row_lanes_(&x, &s.at, t->forms[op][s.form], scale, lane);
        for (unsigned k = 0; k < x.in.bits[1]; ++k) {
            thread.basis[k] = lane[k];
        }
    }
    for (unsigned k = 0; k < thread.in.bits[0]; ++k) {
        thread.basis[k] = ll_shift_(thread.basis[k], scale);
    }
    thread.offset = ll_shift_(thread.offset, scale);
    for (unsigned k = 0; k < s.at.n; ++k) {
        s.at.place[k] = ll_shift_(s.at.place[k], scale);
    }
    s.touched = ll_columns_beyond_(&thread, 0) | thread.offset;
    s.thread = ll_map_of(thread);
    return s;
}

/* Private: sorts the position bits of a tile. Bits that change `touched` place
 * bits come last, because each of their values needs its own address. The
 * others go row by row, so that a lane uses up one address before the next. */
LL_FN ll_access ll_access_row_by_row_(ll_access m, unsigned touched) {
    for (unsigned k = m.vector; k < m.n; ++k) {
        for (unsigned l = k; l > m.vector; --l) {
            const unsigned place = m.place[l];
            const unsigned reg = m.reg[l];
            const unsigned moved = place & touched;
            const unsigned before = m.place[l - 1u] & touched;
            if (moved < before ||
                (moved == before && place < m.place[l - 1u])) {
                m.place[l] = m.place[l - 1u];
                m.reg[l] = m.reg[l - 1u];
                m.place[l - 1u] = place;
                m.reg[l - 1u] = reg;
            }
        }
    }
    return m;
}

/* ll_tile_of(a, element_bits, most): returns how the lanes of a block load or
 * store a tile of layout a. Its accesses are the widest that the layout allows,
 * up to `most` bytes; more than 32 count as 32. The tensor has one or two axes.
 * Fails with LL_EELEMENT, LL_EACCESS (`most` is less than an element),
 * LL_EHARDWARE (a has an input that is not register, lane, warp or block),
 * LL_EBLOCK (a has several blocks), LL_EAXES (more than two axes), LL_EPAIR.
 * For 4 bits its elements are pairs, columns 2j and 2j + 1.
 * Example: ll_tile_of(ll_rows(64, 64, 2), 16, 16).bytes is 16;
 * Example: ll_tile_of(LL_ROWS(.rows = 64, .cols = 64, .bytes = 2,
 *                             .access = 32), 16, 32).bytes is 32;
 * Example: ll_tile_of(L("register: i0 j0 j1 | lane: j2"), 4, 16).nibble is 1;
 * Example: ll_tile_of(L("register: j1 | lane: j0"), 4, 16).err is LL_EPAIR;
 */
LL_FN ll_tile ll_tile_of(ll_layout a, unsigned element_bits, unsigned most) {
    ll_tile tile = LL_ZERO;
    unsigned scale = ll_element_scale_(element_bits);
    const ll_layout all = ll_hardware_(a);
    ll_layout h = ll_in_block_(all);
    if (element_bits == 4u && !h.err) {
        const ll_pairs_ p = ll_pairs_of_(&h, &h, 1);
        if (p.u == 0) {
            tile.err = LL_EPAIR;
            return tile;
        }
        tile.nibble = p.before;
        h = ll_nibbles_paired_(&h, p.before, p.u);
        scale = 0;
    }
    unsigned widest = h.out.bits[0];
    int err = scale > 4u           ? LL_EELEMENT
              : h.out.n > 2        ? LL_EAXES
              : all.in.bits[3]     ? LL_EBLOCK
              : most >> scale == 0 ? LL_EACCESS
                                   : LL_OK;
    tile.err = h.err ? h.err : (unsigned)err;
    most = most < 32u ? most : 32u;
    while (widest && ll_shift_down_(most, widest + scale) == 0) {
        --widest;
    }
    if (!tile.err) {
        tile.at = ll_access_meet_(&h, widest);
        tile.at.spare = ll_spare_threads_(&h);
        const ll_layout thread = ll_thread_places_(&h, tile.at.offset, 0);
        tile.bytes = 1u << (tile.at.vector + scale);
        tile.pack = ll_word_bits_(scale);
        tile.pack = tile.pack < tile.at.vector ? tile.pack : tile.at.vector;
        tile.col_bits = h.out.bits[0];
        tile.touched = ll_columns_beyond_(&thread, 0) | thread.offset;
        tile.at = ll_access_row_by_row_(tile.at, tile.touched);
        tile.thread = ll_map_of(thread);
    }
    return tile;
}

/* Private: returns the number of different aligned pieces of `bytes` bytes, a
 * power of two, that columns first..end-1 of h reach in a tile of layout h with
 * elements of 2^scale bytes. The number of a piece is linear. */
LL_FN unsigned ll_tile_pieces_(const ll_layout *h, unsigned first, unsigned end,
                               unsigned bytes, unsigned scale) {
    const unsigned cols = ll_ones_(h->out.bits[0]);
    ll_echelon_ r = LL_ZERO;
    for (unsigned k = first; k < end; ++k) {
        ll_echelon_load_(&r, h->basis[k] & ~(((bytes >> scale) - 1u) & cols),
                         0);
    }
    return 1u << ll_echelon_rank_(&r);
}

/* Private: returns the number of addresses that a lane computes for a tile: one
 * per row and per value of the bits that are XORed. */
LL_FN unsigned ll_tile_addresses_(const ll_tile *tile) {
    ll_echelon_ r = LL_ZERO;
    for (unsigned k = 0; k < tile->at.n; ++k) {
        const unsigned apart = tile->touched | ~ll_ones_(tile->col_bits);
        ll_echelon_load_(&r, tile->at.place[k] & apart, 0);
    }
    return 1u << ll_echelon_rank_(&r);
}

/* ll_global_of(a, element_bits, most, t): returns the cost for a warp of target
 * t to load or store layout a by LL_LOAD or LL_STORE, with accesses of up to
 * `most` bytes: 16, or 32 by LL_WIDE. A layout of one axis is one contiguous
 * row; ll_flatten_out(a, LL_J) turns a matrix without gaps between its rows
 * into such a layout. Fails as ll_tile_of does, and with LL_ETARGET, LL_ELANES.
 * Example: ll_global_of(ll_rows(64, 64, 4), 32, 16, LL_SM90).sectors is 16;
 * Example: ll_global_of(ll_rows(64, 64, 4), 32, 16, LL_SM90).halves is 8;
 * Example: ll_global_of(ll_trans(ll_rows(64, 64, 4), "j i"), 32, 16,
 *                       LL_SM90).halves is 16;
 */
LL_FN ll_global ll_global_of(ll_layout a, unsigned element_bits, unsigned most,
                             ll_target t) {
    const unsigned scale = ll_element_scale_(element_bits);
    const ll_layout h = ll_in_block_(ll_hardware_(a));
    const ll_tile tile = ll_tile_of(a, element_bits, most);
    ll_global g = LL_ZERO;
    g.err = tile.err                            ? tile.err
            : t.err                             ? t.err
            : !ll_is_target_(&t)                ? (unsigned)LL_ETARGET
            : h.in.bits[1] != ll_log2_(t.lanes) ? (unsigned)LL_ELANES
                                                : (unsigned)LL_OK;
    if (!g.err) {
        const unsigned lane = h.in.bits[0];
        const unsigned warp = lane + h.in.bits[1];
        g.bytes = tile.bytes;
        g.count = 1u << (tile.at.n - tile.at.vector);
        g.addresses = ll_tile_addresses_(&tile);
        g.sectors = ll_tile_pieces_(&h, lane, warp, 32, scale);
        g.halves = ll_tile_pieces_(&h, lane, warp, 64, scale);
        g.lines = ll_tile_pieces_(&h, lane, warp, 128, scale);
        g.whole = ll_tile_pieces_(&h, 0, warp, 32, scale);
    }
    return g;
}

/* Private: returns the packed coordinates of the element that each thread
 * stores in position 0, as a layout of the thread number. */
LL_FN ll_layout ll_stored_(const ll_plan *p) {
    const ll_shape none = LL_ZERO;
    const ll_map *thread = &p->step[1].thread;
    const unsigned scale = ll_element_scale_(p->element_bits);
    ll_layout a =
        ll_zero(ll_shape_add_(none, LL_LANE, LL_MAX_BITS), p->memory.out);
    a.offset = ll_apply(p->memory, thread->offset >> scale);
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        const unsigned place = ll_map_at(*thread, 1u << k) ^ thread->offset;
        a.basis[k] = ll_layout_linear_(&p->memory, place >> scale);
    }
    return a;
}

/* Private: returns log2 of the elements contiguous and aligned in a row of the
 * tile and in memory: at most an access of the store, or a word. */
LL_FN unsigned ll_tile_side_by_side_(const ll_tile *tile, const ll_step *s,
                                     unsigned scale) {
    const unsigned bank = ll_word_bits_(scale);
    const unsigned most = s->at.vector > bank ? s->at.vector : bank;
    unsigned n = 0;
    while (n < most && n < tile->col_bits && tile->at.place[n] == 1u << n &&
           s->at.place[n] >> scale == 1u << n) {
        ++n;
    }
    unsigned others = tile->touched | s->touched >> scale;
    for (unsigned k = n; k < s->at.n; ++k) {
        others |= tile->at.place[k] | s->at.place[k] >> scale;
    }
    while (others & ll_ones_(n)) {
        --n;
    }
    return n;
}

/* ll_tile_copied(p): returns the tile of a row-major matrix that copies move to
 * shared memory in place of the plan's store. It has the positions of step[1].
 * Its accesses are the widest that are contiguous both in a row and in memory.
 * They are no wider than accesses of the store, but have at least 4 bytes.
 * Every plan of LL_COPIES has such a tile, with accesses as wide as its stores.
 * Other plans may have a tile with narrower accesses, which LL_COPY refuses.
 * Fails with LL_EKIND (the plan does not store vectors, or takes several
 * passes), LL_EAXES, LL_ECOPY (fewer than 4 bytes, which no copy moves).
 * Example: ll_tile_copied(ll_plan_by(ll_rows(64, 64, 2),
 *          ll_ptx_mma_a(64, 64, 16, 4), 16, LL_SM80, LL_COPIES)).bytes is 16;
 */
LL_FN ll_tile ll_tile_copied(ll_plan p) {
    const ll_step *s = &p.step[1];
    const unsigned scale = ll_element_scale_(p.element_bits);
    ll_tile tile = LL_ZERO;
    const int none = p.kind != LL_SHARED || p.passes ||
                     s->form != LL_FORM_VECTOR ||
                     (p.nibbles && p.pair != 1u);
    const int err = none                  ? LL_EKIND
                    : p.memory.out.n > 2u ? LL_EAXES
                                          : LL_OK;
    tile.err = p.err ? p.err : (unsigned)err;
    if (tile.err) {
        return tile;
    }
    const ll_layout thread = ll_stored_(&p);
    tile.col_bits = p.memory.out.bits[0];
    tile.touched = ll_columns_beyond_(&thread, 0) | thread.offset;
    tile.thread = ll_map_of(thread);
    tile.at = s->at;
    for (unsigned k = 0; k < s->at.n; ++k) {
        tile.at.place[k] =
            ll_layout_linear_(&p.memory, s->at.place[k] >> scale);
    }
    tile.at.vector = ll_tile_side_by_side_(&tile, s, scale);
    tile.bytes = 1u << (tile.at.vector + scale);
    tile.err = tile.bytes < 4u ? (unsigned)LL_ECOPY : tile.err;
    return tile;
}

/* ll_registers(access, p): returns the register of position p. */
LL_FN unsigned ll_registers(const ll_access *m, unsigned p) {
    return m->first ^ ll_vectors_xor_(m->reg, m->n, p);
}

/* ll_places(access, p): returns position p's place for thread 0 and offset
 * 0. */
LL_FN unsigned ll_places(const ll_access *m, unsigned p) {
    return ll_vectors_xor_(m->place, m->n, p);
}

/* ---- plan/passes: Passes through small memory ------------------------- */

/* Private: the passes through memory that is too small for the whole tile. The
 * memory omits register bits that hold the same elements on both sides; each
 * pass moves one combination of their values. bit[0][k] is the register bit of
 * the source, bit[1][k] of the result. */
typedef struct ll_passes_ {
    unsigned n;
    unsigned mask[2];
    unsigned bit[2][LL_MAX_BITS];
} ll_passes_;

/* Private: returns 1 if column k is not 0 and shares no bit with others. */
LL_FN int ll_column_is_apart_(const ll_layout *a, unsigned k) {
    unsigned others = a->offset;
    for (unsigned m = 0; m < ll_shape_bits_(&a->in); ++m) {
        others |= m == k ? 0u : a->basis[m];
    }
    return a->basis[k] && (a->basis[k] & others) == 0;
}

/* Private: returns up to n register bits, highest first, alike in a and b. */
LL_FN ll_passes_ ll_passes_of_(const ll_layout *a, const ll_layout *b,
                               unsigned n) {
    ll_passes_ cut = LL_ZERO;
    for (unsigned k = a->in.bits[0]; k-- > 0;) {
        for (unsigned m = 0; m < b->in.bits[0] && cut.n < n; ++m) {
            if (a->basis[k] == b->basis[m] && ll_column_is_apart_(a, k) &&
                ll_column_is_apart_(b, m)) {
                cut.bit[0][cut.n] = k;
                cut.bit[1][cut.n] = m;
                cut.mask[0] |= 1u << k;
                cut.mask[1] |= 1u << m;
                ++cut.n;
            }
        }
    }
    return cut;
}

/* Private: converts register numbers without the pass bits to numbers of the
 * whole side, and appends the pass bits as the highest position bits. */
LL_FN ll_access ll_access_uncut_(ll_access at, const ll_passes_ *cut,
                                 unsigned side) {
    unsigned *part[3] = {&at.first, at.reg, at.copy};
    const unsigned count[3] = {1, at.n, at.copies};
    for (unsigned m = 0; m < LL_MAX_BITS; ++m) {
        const unsigned low = ll_ones_(m);
        for (unsigned k = 0; k < 3u && cut->mask[side] >> m & 1u; ++k) {
            for (unsigned c = 0; c < count[k]; ++c) {
                const unsigned x = part[k][c];
                part[k][c] = (x & low) | ll_shift_(x & ~low, 1);
            }
        }
    }
    for (unsigned k = 0; k < cut->n; ++k) {
        at.reg[at.n + k] = 1u << cut->bit[side][k];
    }
    at.n += cut->n;
    return at;
}

/* Private: turns the access step of one pass into the step of all 2^passes. */
LL_FN ll_step ll_step_repeated_(ll_step s, unsigned passes) {
    s.bits += passes;
    s.count <<= passes;
    return s;
}

/* ---- plan/swizzle: The swizzle ---------------------------------------- */

/* A swizzle arranges shared memory so that neither the stores nor the loads of
 * a conversion have bank conflicts. Memory is a basis of the tensor in three
 * parts: the vectors within one access or one bank, the banks, and above them
 * the segments. Two lanes of a phase conflict if they differ only by segments.
 * For stores, the segments must therefore avoid the span U of the vectors and
 * the lanes of a phase; for loads, the corresponding span V. The largest
 * subspace that avoids both is C + G. C completes U + V to the whole space. G
 * consists of sums e ^ f, with e in U but not in V, and f in V but not in U;
 * such a sum is in neither. (Paper, appendix, "Optimal Swizzling".) */

/* Private: returns the vectors of a matrix row from bit 0 up: the columns of a
 * that stand for its bytes. Elements of one word come from registers in order.
 * Other elements come from a register that both sides hold or, without such a
 * register, from the last one. The list is too short if a does not fit such
 * matrices: it lacks registers, or holds an element of a row twice. */
LL_FN ll_span_ ll_matrix_row_(const ll_layout *a, const ll_span_ *common,
                              ll_form form, unsigned scale,
                              const ll_target *t) {
    const ll_span_ regs = ll_span_of_columns_(a, 0, a->in.bits[0]);
    const int wordwise = ll_form_is_wordwise_(form);
    const ll_span_ none = LL_ZERO;
    ll_span_ row = LL_ZERO;
    unsigned next = 0;
    if (!ll_form_takes_(form, scale) || 1u << a->in.bits[1] != t->lanes) {
        return row;
    }
    for (unsigned d = scale; d < ll_form_row_bits_(form); ++d) {
        const unsigned k = ll_form_stands_for_(form, d);
        if (k >= LL_LANE_DIGITS_) {
            ll_span_push_(&row, a->basis[a->in.bits[0] + k - LL_LANE_DIGITS_]);
        } else if (next < regs.n) {
            ll_span_push_(&row, wordwise    ? regs.v[next]
                                : common->n ? common->v[0]
                                            : regs.v[regs.n - 1u]);
            ++next;
        }
    }
    return ll_span_independent_(&none, &row);
}

/* Private: returns the vectors of a phase of rows; these never merge. */
LL_FN ll_span_ ll_row_phase_(const ll_layout *a, const ll_span_ *row,
                             ll_form form, unsigned op, const ll_target *t) {
    const ll_span_ rows = ll_matrix_rows_(a, row, form);
    const unsigned none[6] = {1, 1, 1, 1, 1, 1};
    const ll_phase_ p =
        ll_phase_of_(none, 1u << ll_form_row_bits_(form), op, t);
    ll_span_ served = LL_ZERO;
    for (unsigned k = 0; k < p.n; ++k) {
        ll_span_push_(&served, ll_lane_address_(rows.v, p.number[k]));
    }
    return served;
}

/* Private: returns the way of vector accesses of 2^n elements. */
LL_FN ll_way_ ll_way_of_vectors_(unsigned n) {
    ll_way_ way = LL_ZERO;
    way.vector = n;
    return way;
}

/* Private: returns the lane vectors of a phase of accesses of `bytes` bytes. */
LL_FN ll_span_ ll_lanes_served_(const ll_layout *a, unsigned bytes, unsigned op,
                                const ll_target *t) {
    ll_span_ u = LL_ZERO;
    unsigned lane[6] = LL_ZERO;
    ll_lane_bytes_(a, 0, lane);
    const ll_phase_ p = ll_phase_of_(lane, bytes, op, t);
    for (unsigned k = 0; k < p.n; ++k) {
        ll_span_push_(&u, ll_lane_address_(lane, p.number[k]));
    }
    return u;
}

/* Private: returns the span that segments must avoid on one side: the word,
 * vector or row of one access, and the lanes or rows of one phase. `low` lists
 * the vectors of memory from bit 0 up. */
LL_FN ll_span_ ll_segments_avoid_(const ll_layout *a, const ll_span_ *low,
                                  ll_way_ way, unsigned scale, unsigned op,
                                  const ll_target *t) {
    ll_span_ u =
        way.form == LL_FORM_VECTOR
            ? ll_lanes_served_(a, 1u << (way.vector + scale), op, t)
            : ll_row_phase_(a, low, t->forms[op][way.form], op, t);
    for (unsigned k = 0; k < low->n; ++k) {
        if (k < way.vector || 1u << (k + scale) < t->bank_bytes) {
            ll_span_push_(&u, low->v[k]);
        }
    }
    return u;
}

/* Private: returns n segments: vectors that avoid u and v as far as possible. C
 * comes first, then G. If they have too few vectors, conflicts are inevitable,
 * and the rest of the larger side follows. */
LL_FN ll_span_ ll_segments_(const ll_span_ *u, const ll_span_ *v,
                            const ll_span_ *space, unsigned n) {
    const ll_span_ f = ll_span_independent_(u, v);
    const ll_span_ e = ll_span_independent_(v, u);
    ll_span_ both = *u;
    for (unsigned k = 0; k < f.n; ++k) {
        ll_span_push_(&both, f.v[k]);
    }
    const ll_span_ c = ll_span_independent_(&both, space);
    ll_span_ s = LL_ZERO;
    for (unsigned k = 0; k < c.n && s.n < n; ++k) {
        ll_span_push_(&s, c.v[c.n - 1u - k]);
    }
    for (unsigned k = 0; k < e.n && k < f.n && s.n < n; ++k) {
        ll_span_push_(&s, e.v[k] ^ f.v[k]);
    }
    const ll_span_ *more = e.n > f.n ? &e : &f;
    for (unsigned k = e.n < f.n ? e.n : f.n; k < more->n && s.n < n; ++k) {
        ll_span_push_(&s, more->v[k]);
    }
    return s;
}

/* Private: returns a basis of the vectors that a and b hold: the lowest vectors
 * of memory, then the lanes and warps of a, then of b, then the registers. A
 * lane or warp that is an XOR of vectors above the lowest keeps accesses
 * aligned. */
LL_FN ll_span_ ll_segments_space_(const ll_layout *a, const ll_layout *b,
                                  const ll_span_ *low) {
    const ll_span_ la =
        ll_span_of_columns_(a, a->in.bits[0], ll_shape_bits_(&a->in));
    const ll_span_ lb =
        ll_span_of_columns_(b, b->in.bits[0], ll_shape_bits_(&b->in));
    const ll_span_ ra = ll_span_of_columns_(a, 0, a->in.bits[0]);
    const ll_span_ rb = ll_span_of_columns_(b, 0, b->in.bits[0]);
    ll_span_ space = *low;
    ll_span_append_(&space, &la, LL_MAX_BITS);
    ll_span_append_(&space, &lb, LL_MAX_BITS);
    ll_span_append_(&space, &ra, LL_MAX_BITS);
    ll_span_append_(&space, &rb, LL_MAX_BITS); /* what only one side holds */
    return space;
}

/* Private: returns the number of bits of memory, out of n, above the banks that
 * an access of 2^bytes bytes reaches. */
LL_FN unsigned ll_banks_above_(unsigned n, unsigned bytes, unsigned op,
                               unsigned scale, const ll_target *t) {
    const unsigned banks = t->banks[op][ll_access_width_(1u << bytes)];
    const unsigned row = ll_log2_(banks * t->bank_bytes);
    const unsigned below = row > scale ? row - scale : 0u;
    return n > below ? n - below : 0u;
}

/* Private: extends `high` to n segments, for a side that reaches fewer banks
 * than the other. The new segments come first. They lie outside `avoid` and the
 * lowest vectors, which have fixed places. */
LL_FN void ll_more_segments_(ll_span_ *high, const ll_span_ *avoid,
                             const ll_span_ *low, const ll_span_ *space,
                             unsigned n) {
    if (high->n >= n) {
        return;
    }
    ll_span_ span = *avoid;
    ll_span_append_(&span, low, LL_MAX_BITS);
    ll_span_append_(&span, high, LL_MAX_BITS);
    ll_span_ more = ll_span_independent_(&span, space);
    more.n = more.n < n - high->n ? more.n : n - high->n;
    ll_span_append_(&more, high, LL_MAX_BITS);
    *high = more;
}

/* Private: returns memory that starts with the vectors `low` and has the fewest
 * conflicts for stores from a in the way va and loads to b in the way vb. */
LL_FN ll_layout ll_memory_arrange_(const ll_layout *a, const ll_layout *b,
                                   const ll_span_ *low, ll_way_ va, ll_way_ vb,
                                   unsigned scale, const ll_target *t) {
    const ll_shape none = LL_ZERO;
    const ll_span_ space = va.vector >= vb.vector
                               ? ll_segments_space_(a, b, low)
                               : ll_segments_space_(b, a, low);
    const ll_span_ u = ll_segments_avoid_(a, low, va, scale, LL_WRITE, t);
    const ll_span_ v = ll_segments_avoid_(b, low, vb, scale, LL_READ, t);
    const unsigned to =
        ll_banks_above_(space.n, va.vector + scale, LL_WRITE, scale, t);
    const unsigned from =
        ll_banks_above_(space.n, vb.vector + scale, LL_READ, scale, t);
    ll_span_ high = ll_segments_(&u, &v, &space, to < from ? to : from);
    ll_more_segments_(&high, to > from ? &u : &v, low, &space,
                      to > from ? to : from);
    ll_span_project_low_(&high, &space, low->n);
    ll_layout m = ll_zero(ll_shape_add_(none, LL_OFFSET, space.n), a->out);
    m.offset = a->offset;
    const ll_span_ rest = ll_span_independent_(&high, &space);
    for (unsigned k = 0; k < space.n; ++k) {
        m.basis[k] = k < rest.n ? rest.v[k] : high.v[k - rest.n];
    }
    return m;
}

/* Private: returns the lowest vectors of memory if side a has the wider
 * accesses. Vectors in registers of both sides come first. If they do not fill
 * a bank, registers of a and then lanes of a follow. Last come vectors in
 * registers of a and in the lanes of a phase of b, avoided anyway. */
LL_FN ll_span_ ll_memory_lowest_(const ll_layout *a, const ll_layout *b,
                                 const ll_span_ *common, unsigned scale,
                                 unsigned op, const ll_target *t) {
    const ll_span_ regs = ll_span_of_columns_(a, 0, a->in.bits[0]);
    const ll_span_ columns = ll_span_of_columns_(a, 0, ll_shape_bits_(&a->in));
    unsigned bank = ll_log2_(t->bank_bytes);
    bank = bank > scale ? bank - scale : 0u;
    ll_span_ low = *common;
    ll_span_append_(&low, &columns, bank);
    const ll_way_ way = ll_way_of_vectors_(common->n);
    const ll_span_ other = ll_segments_avoid_(b, &low, way, scale, op, t);
    const ll_span_ both = ll_span_intersect_(&regs, &other);
    ll_span_append_(&low, &both, ll_widest_access_(scale, t));
    return low;
}

/* Private: returns the instructions for n accesses of `bytes` bytes; some
 * targets join two accesses in one instruction. */
LL_FN unsigned ll_accesses_joined_(unsigned n, unsigned bytes,
                                   const ll_target *t) {
    return t->pairs && n > 1u && (bytes == 4u || bytes == 8u) ? n / 2u : n;
}

/* Private: returns a lower bound of the cost of one side, for any memory:
 * accesses as wide as its registers and `most` bytes allow, joined in pairs if
 * possible, and without conflicts. */
LL_FN unsigned long long ll_cost_bound_(const ll_layout *a, unsigned scale,
                                        unsigned most, unsigned op,
                                        const ll_target *t) {
    const ll_span_ none = LL_ZERO;
    const ll_span_ regs = ll_span_of_columns_(a, 0, a->in.bits[0]);
    const unsigned bytes = 1u << (ll_span_independent_(&none, &regs).n + scale);
    unsigned lane[6] = LL_ZERO;
    unsigned least = ~0u;
    ll_lane_bytes_(a, 0, lane);
    for (unsigned of = 4; of <= 16u && (of == 4u || of <= most); of *= 2u) {
        const unsigned one = of < most ? of : most;
        const unsigned waves = (bytes > one ? bytes / one : 1u) * t->lanes >>
                               ll_phase_of_(lane, of, op, t).n;
        least = waves < least ? waves : least;
    }
    const unsigned n = bytes > most ? bytes / most : 1u;
    return ll_cost_weigh_(least, ll_accesses_joined_(n, most, t));
}

/* Private: returns 1 if every matrix form for elements of 2^scale bytes has the
 * lowest element bit of a row in registers. */
LL_FN int ll_forms_are_paired_(unsigned scale, const ll_target *t) {
    int paired = 1;
    for (unsigned k = 2u * LL_FORM_MATRIX; k < 2u * LL_MAX_FORMS; ++k) {
        const ll_form form = t->forms[k & 1u][k / 2u];
        paired = paired && (!ll_form_takes_(form, scale) ||
                            ll_form_stands_for_(form, scale) < LL_LANE_DIGITS_);
    }
    return paired;
}

/* ---- plan/choose: The best memory ------------------------------------- */

/* The search tries forms and widths of both sides; lower bounds end it. */

/* The cheapest memory so far, and lower bounds of each side and of both. */
typedef struct ll_best_memory_ {
    unsigned long long cost;
    unsigned long long worth;    /* a bound must be below it: the cost, or its
                                  * wavefronts if it counts byte permutes */
    unsigned long long least[2]; /* by op */
    unsigned long long both;
    int apart; /* 1: byte permutes do not count */
    unsigned long long vectors; /* bound of both, with vector accesses only */
    ll_layout m;
} ll_best_memory_;

/* Private: returns 1 if the lower bound admits a cheaper memory. */
LL_FN int ll_best_memory_is_open_(const ll_best_memory_ *best) {
    return best->both < best->cost;
}

/* Private: returns 1 if byte permutes do not distinguish memories: both sides
 * share at most one register of bytes, and no word begins with it. */
LL_FN int ll_is_apart_anyway_(const ll_layout *a, const ll_layout *b,
                              const ll_span_ *common, unsigned scale) {
    if (scale > 0 || a->in.bits[0] < 2u || b->in.bits[0] < 2u ||
        common->n > 1u || a->basis[0] == b->basis[0]) {
        return 0;
    }
    const ll_span_ wa = ll_span_of_columns_(a, 0, 2);
    const ll_span_ wb = ll_span_of_columns_(b, 0, 2);
    return ll_in_span_(&wa, common) + ll_in_span_(&wb, common) == 0;
}

/* Private: returns the cost of a step in a search. */
LL_FN unsigned long long ll_cost_in_(const ll_best_memory_ *best,
                                     const ll_step *s) {
    return best->apart ? ll_step_bare_cost_(s) : ll_step_cost_(s);
}

/* Private: returns the start of a search between a and b: no memory, and the
 * lower bounds. If the sides share no register, one of them lacks the lowest
 * bit of memory in registers and needs one access per element. */
LL_FN ll_best_memory_ ll_best_memory_start_(const ll_layout *a,
                                            const ll_layout *b,
                                            const ll_span_ *common,
                                            unsigned scale,
                                            const ll_target *t) {
    const unsigned most = t->access_bytes;
    const unsigned long long store =
        ll_cost_bound_(a, scale, most, LL_WRITE, t);
    const unsigned long long load = ll_cost_bound_(b, scale, most, LL_READ, t);
    ll_best_memory_ best = LL_ZERO;
    best.cost = best.worth = ~0ull;
    best.least[LL_WRITE] = store;
    best.least[LL_READ] = load;
    best.both = best.vectors = store + load;
    if (common->n == 0) {
        const unsigned one = 1u << scale;
        const unsigned long long x =
            store + ll_cost_bound_(b, scale, one, LL_READ, t);
        const unsigned long long y =
            load + ll_cost_bound_(a, scale, one, LL_WRITE, t);
        best.vectors = x < y ? x : y;
        best.both = ll_forms_are_paired_(scale, t) ? best.vectors : best.both;
    }
    best.apart = ll_is_apart_anyway_(a, b, common, scale);
    return best;
}

/* Private: keeps m if it is the cheapest memory so far. The side with the
 * narrower accesses comes first; it may rule m out alone. */
LL_FN void ll_try_memory_(ll_best_memory_ *best, const ll_layout *m,
                          const ll_layout *a, const ll_layout *b,
                          unsigned narrow, unsigned scale, const ll_target *t) {
    const unsigned wide = narrow == LL_READ ? LL_WRITE : LL_READ;
    const ll_step first =
        ll_step_between_(narrow == LL_READ ? b : a, m, scale, narrow, t);
    const unsigned long long one = ll_cost_in_(best, &first);
    if (one + best->least[wide] >= best->cost) {
        return;
    }
    const ll_step second =
        ll_step_between_(narrow == LL_READ ? a : b, m, scale, wide, t);
    const unsigned long long cost = one + ll_cost_in_(best, &second);
    if (cost < best->cost) {
        const unsigned long long bare =
            ll_step_bare_cost_(&first) + ll_step_bare_cost_(&second);
        best->cost = cost;
        best->worth = best->apart || bare == cost ? cost : cost >> 32 << 32;
        best->m = *m;
    }
}

/* Private: tries what ll_memory_arrange_ builds on the lowest vectors. */
LL_FN void ll_try_lowest_(ll_best_memory_ *best, const ll_layout *a,
                          const ll_layout *b, const ll_span_ *low, ll_way_ va,
                          ll_way_ vb, unsigned scale, const ll_target *t) {
    const ll_layout m = ll_memory_arrange_(a, b, low, va, vb, scale, t);
    ll_try_memory_(best, &m, a, b,
                   va.vector < vb.vector ? LL_WRITE : LL_READ, scale, t);
}

/* Private: tries memories with vector accesses on both sides. Both sides share
 * the lowest vectors; then a or b, in turn, gets wider accesses. */
LL_FN void ll_try_vectors_(ll_best_memory_ *best, const ll_layout *a,
                           const ll_layout *b, ll_span_ common, unsigned scale,
                           const ll_target *t) {
    const ll_span_ ra = ll_span_of_columns_(a, 0, a->in.bits[0]);
    const ll_span_ rb = ll_span_of_columns_(b, 0, b->in.bits[0]);
    unsigned most = ll_widest_access_(scale, t);
    common.n = common.n < most ? common.n : most;
    const unsigned trials = common.n == most ? 1u : 2u;
    for (unsigned wide = 0; wide < trials && ll_best_memory_is_open_(best);
         ++wide) {
        const ll_span_ low =
            wide ? ll_memory_lowest_(b, a, &common, scale, LL_WRITE, t)
                 : ll_memory_lowest_(a, b, &common, scale, LL_READ, t);
        const unsigned n = ll_in_span_(&low, wide ? &rb : &ra);
        ll_try_lowest_(best, a, b, &low,
                       ll_way_of_vectors_(wide ? common.n : n),
                       ll_way_of_vectors_(wide ? n : common.n), scale, t);
    }
}

/* Private: tries memories with matrix accesses on the side of a. One access of
 * b moves the lowest vectors of a row, as far as they are in registers of b. */
LL_FN void ll_try_matrices_(ll_best_memory_ *best, const ll_layout *a,
                            const ll_layout *b, unsigned op, unsigned scale,
                            const ll_target *t) {
    if (!ll_best_memory_is_open_(best)) {
        return;
    }
    const ll_span_ rb = ll_span_of_columns_(b, 0, b->in.bits[0]);
    const ll_span_ ra = ll_span_of_columns_(a, 0, a->in.bits[0]);
    const ll_span_ common = ll_span_intersect_(&ra, &rb);
    for (unsigned form = LL_FORM_MATRIX;
         form < LL_MAX_FORMS && ll_best_memory_is_open_(best); ++form) {
        const ll_form code = t->forms[op][form];
        const ll_span_ row = ll_matrix_row_(a, &common, code, scale, t);
        if (row.n == 0 || row.n + scale != ll_form_row_bits_(code)) {
            continue;
        }
        const ll_way_ way = {form, row.n};
        const ll_way_ other = ll_way_of_vectors_(ll_in_span_(&row, &rb));
        if (op == LL_WRITE) {
            ll_try_lowest_(best, a, b, &row, way, other, scale, t);
        } else {
            ll_try_lowest_(best, b, a, &row, other, way, scale, t);
        }
    }
}

/* Private: returns the vectors that both sides hold in registers. Vectors
 * within words of ra come first, then vectors within words of rb: where they
 * are neighbours in memory, words keep their bytes. */
LL_FN ll_span_ ll_common_registers_(const ll_span_ *ra, const ll_span_ *rb,
                                    unsigned scale) {
    const ll_span_ both = ll_span_intersect_(ra, rb);
    const ll_span_ *side[2] = {ra, rb};
    ll_span_ common = LL_ZERO;
    for (unsigned k = 0; k < 2u; ++k) {
        ll_span_ word = *side[k];
        word.n = ll_word_bits_(scale) < word.n ? ll_word_bits_(scale) : word.n;
        word.n = ll_in_span_(&word, &both);
        ll_span_append_(&common, &word, LL_MAX_BITS);
    }
    ll_span_append_(&common, &both, LL_MAX_BITS);
    return common;
}

/* The best memory for accesses of given widths. Side a has the wider accesses,
 * of 2^x elements. It holds the lowest x vectors of memory in registers; side b
 * holds the lowest y of them. H is a complement of these x vectors (or of the
 * vectors of a word, if a word has more) and contains the segments. Accesses
 * are aligned if H contains the threads of a, and if no column of a thread has
 * one of the lowest y places. Lanes in a phase of b conflict only by segments,
 * and segments can be chosen that meet a subspace of H no more than its rank
 * requires. The rank of the part of a phase of b in H therefore determines the
 * least number of conflicts. The part that the threads of a generate stays in
 * H. The rest leaves it, up to x - y vectors, one for each place that an access
 * of a fills beyond an access of b. The choices of the lowest y vectors and of
 * the segments do not change this. The minimum over all widths is therefore the
 * least cost of any memory. */

/* One side of an exchange. */
typedef struct ll_end_ {
    const ll_layout *a;
    unsigned op;
    unsigned most;              /* log2 of the elements of the widest access */
    ll_span_ regs, threads;     /* columns */
    unsigned long long cost[5]; /* least, with accesses of 2^k elements */
} ll_end_;

/* Both sides of an exchange, for all widths. */
typedef struct ll_ends_ {
    ll_end_ end[2];  /* by op */
    ll_span_ common; /* in registers of both, and reached by no thread */
    ll_span_ threads;
    unsigned n; /* rank of all columns */
} ll_ends_;

/* The widths of both sides, as log2 of elements. The side with the wider
 * accesses, of operation `op`, is called a, and the other side b. */
typedef struct ll_widths_ {
    unsigned op;
    unsigned a, b;
} ll_widths_;

/* Private: returns a basis of the span of two lists. */
LL_FN ll_span_ ll_joint_(const ll_span_ *a, const ll_span_ *b) {
    const ll_span_ none = LL_ZERO;
    ll_span_ l = ll_span_independent_(&none, a);
    ll_span_append_(&l, b, LL_MAX_BITS);
    return l;
}

/* Private: returns the least cost of 2^rank elements, 2^v per access. */
LL_FN unsigned long long ll_free_cost_(const ll_layout *a, unsigned rank,
                                       unsigned v, unsigned scale, unsigned op,
                                       const ll_target *t) {
    const unsigned n = 1u << (rank - v);
    const unsigned bytes = 1u << (v + scale);
    unsigned lane[6] = LL_ZERO;
    ll_lane_bytes_(a, 0, lane);
    const unsigned waves =
        n * t->lanes >> ll_phase_of_(lane, bytes, op, t).n;
    return ll_cost_weigh_(waves, ll_accesses_joined_(n, bytes, t));
}

/* Private: returns one side of an exchange. */
LL_FN ll_end_ ll_end_of_(const ll_layout *a, unsigned scale, unsigned op,
                         const ll_target *t) {
    const ll_span_ none = LL_ZERO;
    const unsigned most = ll_widest_access_(scale, t);
    ll_end_ e = LL_ZERO;
    e.a = a;
    e.op = op;
    e.regs = ll_span_of_columns_(a, 0, a->in.bits[0]);
    e.threads = ll_span_of_columns_(a, a->in.bits[0], ll_shape_bits_(&a->in));
    e.most = ll_span_independent_(&e.threads, &e.regs).n;
    e.most = e.most < most ? e.most : most;
    const unsigned rank = ll_span_independent_(&none, &e.regs).n;
    for (unsigned v = 0; v <= e.most; ++v) {
        e.cost[v] = ll_free_cost_(a, rank, v, scale, op, t);
    }
    return e;
}

/* Private: returns both sides of the exchange from a to b. */
LL_FN ll_ends_ ll_ends_of_(const ll_layout *a, const ll_layout *b,
                           unsigned scale, const ll_target *t) {
    ll_ends_ e = LL_ZERO;
    e.end[LL_WRITE] = ll_end_of_(a, scale, LL_WRITE, t);
    e.end[LL_READ] = ll_end_of_(b, scale, LL_READ, t);
    const ll_end_ *from = &e.end[LL_WRITE];
    const ll_end_ *to = &e.end[LL_READ];
    const ll_span_ held = ll_span_intersect_(&from->regs, &to->regs);
    e.threads = ll_joint_(&from->threads, &to->threads);
    e.common = ll_span_independent_(&e.threads, &held);
    const ll_span_ all = ll_joint_(&e.threads, &from->regs);
    e.n = all.n + ll_span_independent_(&all, &to->regs).n;
    return e;
}

/* Private: returns the rank of the part of a phase of b in the best complement.
 * Lanes of b that share a word do not conflict, but need no special case: their
 * phase has no more vectors than banks, and only those that stay conflict. */
LL_FN unsigned ll_complement_left_(const ll_end_ *a, const ll_span_ *phase,
                                   ll_widths_ w) {
    const ll_span_ none = LL_ZERO;
    const unsigned rank = ll_span_independent_(&none, phase).n;
    const unsigned stay = rank - ll_span_independent_(&a->threads, phase).n;
    const unsigned gone = w.a - w.b;
    return rank > gone + stay ? rank - gone : stay;
}

/* Private: returns a lower bound of the cost of any memory for these widths. */
LL_FN unsigned long long ll_least_cost_(const ll_ends_ *e, ll_widths_ w,
                                        unsigned scale, const ll_target *t) {
    const ll_end_ *a = &e->end[w.op];
    const ll_end_ *b = &e->end[!w.op];
    const unsigned word = ll_word_bits_(scale);
    const unsigned low = w.a > word ? w.a : word;
    const ll_span_ phase =
        ll_lanes_served_(b->a, 1u << (w.b + scale), b->op, t);
    const unsigned above = ll_banks_above_(e->n, w.b + scale, b->op, scale, t);
    const unsigned need = ll_complement_left_(a, &phase, w) + above + low;
    const unsigned clash = above && need > e->n ? need - e->n : 0u;
    return a->cost[w.a] + (b->cost[w.b] >> 32 << (32u + clash)) +
           (unsigned)b->cost[w.b];
}

/* Private: appends vectors of `from` outside the span `avoid` to the list,
 * until it has n vectors, and to `avoid`. */
LL_FN void ll_take_(ll_span_ *l, ll_span_ *avoid, const ll_span_ *from,
                    unsigned n) {
    const ll_span_ fresh = ll_span_independent_(avoid, from);
    for (unsigned k = 0; k < fresh.n && l->n < n; ++k) {
        ll_span_push_(l, fresh.v[k]);
        ll_span_push_(avoid, fresh.v[k]);
    }
}

/* Memory without segments: the lowest vectors, a basis of complement H. */
typedef struct ll_ground_ {
    ll_span_ low;
    ll_span_ high;
} ll_ground_;

/* Private: appends vectors of a word, up to n, from registers `own` of a: first
 * vectors in a phase of b, then vectors independent of the phase. */
LL_FN void ll_take_word_(ll_ground_ *g, const ll_end_ *a, const ll_span_ *own,
                         const ll_span_ *phase, unsigned n) {
    const ll_span_ shared = ll_span_intersect_(phase, own);
    ll_span_ avoid = ll_joint_(&a->threads, &g->low);
    ll_take_(&g->low, &avoid, &shared, n);
    ll_span_ reached = ll_joint_(&avoid, phase);
    ll_take_(&g->low, &reached, own, n);
}

/* Private: appends vectors above a word, up to n, from registers `own` of a:
 * first vectors that only threads of a separate from the phase of b, then any
 * vectors e. Each e takes a vector f of the phase with it: H contains e ^ f in
 * place of f, so that f has the place of e. */
LL_FN void ll_ground_take_wide_(ll_ground_ *g, const ll_end_ *a,
                                const ll_span_ *own, const ll_span_ *phase,
                                unsigned n) {
    ll_span_ avoid = ll_joint_(&a->threads, &g->low);
    const ll_span_ reached = ll_joint_(&avoid, phase);
    const ll_span_ both = ll_span_intersect_(own, &reached);
    ll_take_(&g->low, &avoid, &both, n);
    const ll_span_ f = ll_span_independent_(&avoid, phase);
    const unsigned from = g->low.n;
    ll_span_ all = ll_joint_(&avoid, phase);
    ll_take_(&g->low, &all, own, n);
    for (unsigned k = from; k < g->low.n && k - from < f.n; ++k) {
        ll_span_push_(&g->high, g->low.v[k] ^ f.v[k - from]);
    }
}

/* Private: returns the ground for these widths. Vectors above the lowest w.b
 * come from a complement with the threads of both sides. */
LL_FN ll_ground_ ll_ground_of_(const ll_ends_ *e, ll_widths_ w, unsigned scale,
                               const ll_target *t) {
    const ll_end_ *a = &e->end[w.op];
    const ll_end_ *b = &e->end[!w.op];
    const unsigned word = ll_word_bits_(scale);
    const ll_span_ phase =
        ll_lanes_served_(b->a, 1u << (w.b + scale), b->op, t);
    ll_ground_ g = LL_ZERO;
    ll_span_append_(&g.low, &e->common, w.b);
    ll_span_ space = ll_joint_(&g.low, &e->threads);
    ll_span_append_(&space, &a->regs, LL_MAX_BITS);
    ll_span_append_(&space, &b->regs, LL_MAX_BITS);
    ll_span_ own = a->regs;
    ll_span_project_low_(&own, &space, w.b);
    ll_take_word_(&g, a, &own, &phase, w.a < word ? w.a : word);
    ll_ground_take_wide_(&g, a, &own, &phase, w.a);
    ll_span_ all = g.low;
    ll_span_append_(&all, &a->threads, LL_MAX_BITS);
    ll_span_append_(&all, &g.high, LL_MAX_BITS);
    ll_span_append_(&all, &space, LL_MAX_BITS);
    ll_ground_ whole = LL_ZERO;
    for (unsigned k = 0; k < all.n; ++k) {
        ll_span_push_(k < g.low.n || k < word ? &whole.low : &whole.high,
                      all.v[k]);
    }
    return whole;
}

/* Private: returns memory on this ground; its segments avoid both sides. */
LL_FN ll_layout ll_on_ground_(const ll_ends_ *e, const ll_ground_ *g,
                              ll_widths_ w, unsigned scale,
                              const ll_target *t) {
    const ll_shape none = LL_ZERO;
    const ll_layout *from = e->end[LL_WRITE].a;
    const unsigned word = ll_word_bits_(scale);
    const unsigned na = ll_banks_above_(e->n, w.a + scale, w.op, scale, t);
    const unsigned nb = ll_banks_above_(e->n, w.b + scale, !w.op, scale, t);
    ll_span_ all = ll_joint_(&g->low, &g->high);
    ll_span_ u = ll_lanes_served_(e->end[w.op].a, 1u << (w.a + scale), w.op, t);
    ll_span_project_low_(&u, &all, g->low.n);
    ll_span_ v =
        ll_lanes_served_(e->end[!w.op].a, 1u << (w.b + scale), !w.op, t);
    for (unsigned k = 0; k < g->low.n && (k < w.b || k < word); ++k) {
        ll_span_push_(&v, g->low.v[k]);
    }
    v = ll_span_intersect_(&g->high, &v);
    ll_span_ high = ll_segments_(&u, &v, &g->high, na < nb ? na : nb);
    ll_more_segments_(&high, na > nb ? &u : &v, &g->low, &g->high,
                      na > nb ? na : nb);
    const ll_span_ banks = ll_span_independent_(&high, &g->high);
    all.n = g->low.n;
    ll_span_append_(&all, &banks, LL_MAX_BITS);
    ll_span_append_(&all, &high, LL_MAX_BITS);
    ll_layout m = ll_zero(ll_shape_add_(none, LL_OFFSET, e->n), from->out);
    m.offset = from->offset;
    for (unsigned k = 0; k < e->n; ++k) {
        m.basis[k] = all.v[k];
    }
    return m;
}

#define LL_MAX_PAIRS_ 25u /* widths of 1 to 16 bytes on both sides */

/* Private: returns pair number k of widths: 2^v[op] elements for each side. If
 * both are equal, the stores count as wider. */
LL_FN ll_widths_ ll_widths_of_(const ll_ends_ *e, unsigned k) {
    const unsigned n = e->end[0].most + 1u;
    const unsigned v[2] = {k % n, k / n};
    const unsigned op = v[1] < v[0] ? 0u : 1u;
    const ll_widths_ w = {op, v[op], v[1u - op]};
    return w;
}

/* Private: returns the number of the first minimum of n costs. */
LL_FN unsigned ll_cost_smallest_(const unsigned long long *cost, unsigned n) {
    unsigned first = 0;
    for (unsigned k = 1; k < n; ++k) {
        first = cost[k] < cost[first] ? k : first;
    }
    return first;
}

/* Private: tries the best memory for each pair of widths with a lower bound
 * that admits a cheaper one, the lowest bound first. Sets best->vectors, a
 * lower bound of the cost of any memory with vector accesses. */
LL_FN void ll_try_widths_(ll_best_memory_ *best, const ll_layout *a,
                          const ll_layout *b, unsigned scale,
                          const ll_target *t) {
    const ll_ends_ e = ll_ends_of_(a, b, scale, t);
    const unsigned n = (e.end[0].most + 1u) * (e.end[1].most + 1u);
    unsigned long long bound[LL_MAX_PAIRS_] = LL_ZERO;
    for (unsigned k = 0; k < n; ++k) {
        const ll_widths_ w = ll_widths_of_(&e, k);
        const unsigned long long free =
            e.end[w.op].cost[w.a] + e.end[!w.op].cost[w.b];
        bound[k] = w.b > e.common.n      ? ~0ull
                   : free >= best->worth ? free
                                         : ll_least_cost_(&e, w, scale, t);
    }
    unsigned first = ll_cost_smallest_(bound, n);
    best->vectors = bound[first];
    while (bound[first] < best->worth) {
        const ll_widths_ w = ll_widths_of_(&e, first);
        const ll_ground_ g = ll_ground_of_(&e, w, scale, t);
        const ll_layout m = ll_on_ground_(&e, &g, w, scale, t);
        ll_try_memory_(best, &m, a, b, !w.op, scale, t);
        bound[first] = ~0ull;
        first = ll_cost_smallest_(bound, n);
    }
}

/* Private: returns the cheapest memory between a and b, with its bounds. */
LL_FN ll_best_memory_ ll_memory_choose_(const ll_layout *a, const ll_layout *b,
                                        unsigned scale, const ll_target *t) {
    const ll_span_ ra = ll_span_of_columns_(a, 0, a->in.bits[0]);
    const ll_span_ rb = ll_span_of_columns_(b, 0, b->in.bits[0]);
    const ll_span_ common = ll_common_registers_(&ra, &rb, scale);
    ll_best_memory_ best = ll_best_memory_start_(a, b, &common, scale, t);
    ll_try_vectors_(&best, a, b, common, scale, t);
    ll_try_matrices_(&best, a, b, LL_WRITE, scale, t);
    ll_try_matrices_(&best, b, a, LL_READ, scale, t);
    if (best.vectors < best.worth) {
        ll_try_widths_(&best, a, b, scale, t);
    }
    return best;
}

/* ll_swizzle(a, b, element_bits, t): returns the cheapest memory layout, from
 * offset to tensor, for a conversion from registers of layout a to registers of
 * layout b. The cost is the number of wavefronts of stores and loads together;
 * a tie goes to fewer accesses and byte permutes. Only vector accesses are
 * considered: each lane moves the bytes at its own address. No other memory
 * takes fewer wavefronts, whatever the columns of a and b are: the result
 * always reaches a lower bound, which is computed from ranks alone. (A phase
 * must not have more lanes than there are banks for its words; this holds for
 * all targets of both vendors.) The sum of accesses and byte permutes is low,
 * but not always minimal: a search found a lower sum for about 1 of 100 pairs
 * of layouts with columns of several bits. ll_plan keeps the bound in `fewest`,
 * and ll_explain shows it. For one side alone pass the same layout as a and b.
 * Each side makes the widest accesses that its registers allow. Where a kernel
 * makes narrower ones, as a loop over single elements does, say so with
 * ll_swizzle_by.
 * (Paper, section 5.4 and appendix, "Optimal Swizzling", for columns of one bit
 * each.) Fails with LL_EMATCH, LL_ENOSOLUTION, LL_EELEMENT, LL_ELANES,
 * LL_EBLOCK, LL_EPAIR (4 bits).
 * Example: ll_swizzle(L("register: i0 j0 | lane: j1 j2 i1 i2 i3"),
 *          L("register: j0 i1 | lane: i0 i2 i3 j1 j2"), 4, LL_SM90) is
 *          L("offset: j0 i0 j1 j2 i1 i2 i3");
 */
LL_FN ll_layout ll_swizzle(ll_layout a, ll_layout b, unsigned element_bits,
                           ll_target t) {
    a = ll_hardware_(a);
    b = ll_hardware_(b);
    if (element_bits == 4u) {
        const ll_layout x = ll_places_map_(&a, &b, 8, &t, LL_FIRST);
        b = x.err ? b : ll_layout_onto_(b, &a.out);
        const ll_pairs_ p = ll_pairs_of_(&a, &b, 0);
        const ll_layout m =
            p.u ? ll_swizzle(ll_nibbles_paired_(&a, p.before, p.u),
                             ll_nibbles_paired_(&b, p.after, p.u), 8, t)
                : ll_layout_bad_(x, LL_EPAIR);
        return x.err ? x : m.err ? m : ll_nibbles_unpaired_(&m, &a, p);
    }
    const int blocks = a.in.bits[3] || b.in.bits[3];
    const ll_layout x =
        ll_places_map_(&a, &b, element_bits, &t, blocks ? LL_LOCAL : LL_FIRST);
    if (x.err || (blocks && !ll_is_trivial(x, "block"))) {
        return ll_layout_bad_(x, LL_EBLOCK);
    }
    const ll_shape out = a.out;
    b = ll_layout_onto_(ll_in_block_(b), &out);
    a = ll_in_block_(a);
    t = ll_without_forms_(ll_without_forms_(t, LL_READ), LL_WRITE);
    return ll_memory_choose_(&a, &b, ll_element_scale_(element_bits), &t).m;
}

/* Private: one access of a lane takes the elements of 2^n registers. Returns
 * the mask of their n register bits: the next choice after the mask x, or ~0u
 * after the last one. n = LL_NO_BITS_: all bits. x = ~0u: the first choice. */
LL_FN unsigned ll_next_choice_(const ll_layout *a, unsigned n, unsigned x) {
    const unsigned all = ll_ones_(a->in.bits[0]);
    if (n >= a->in.bits[0]) {
        return x == ~0u ? all : ~0u;
    }
    for (++x; x <= all; ++x) {
        if (ll_popcount_(x) == n) {
            return x;
        }
    }
    return ~0u;
}

/* Private: returns the cost of all accesses of one side, if one access takes
 * its elements from the registers of `part`, a part of a. */
LL_FN unsigned long long ll_parts_cost_(const ll_layout *a,
                                        const ll_layout *part,
                                        const ll_layout *m, unsigned scale,
                                        unsigned op, const ll_target *t) {
    const ll_step s = ll_step_between_(part, m, scale, op, t);
    return ll_step_cost_(&s) << (a->in.bits[0] - part->in.bits[0]);
}

#define LL_MOST_CHOICES_ 256u

/* Private: returns the cheapest memory in which an access takes 2^n[0] elements
 * of a, and one 2^n[1] of b. It tries at most LL_MOST_CHOICES_ choices. */
LL_FN ll_layout ll_memory_by_(const ll_layout *a, const ll_layout *b,
                              const unsigned *n, unsigned scale,
                              const ll_target *t) {
    ll_layout best = *a;
    unsigned long long least = ~0ull;
    unsigned tried = 0;
    for (unsigned x = ll_next_choice_(a, n[0], ~0u); x != ~0u;
         x = ll_next_choice_(a, n[0], x)) {
        const ll_layout from = ll_drop_registers_(*a, ~x);
        for (unsigned y = ll_next_choice_(b, n[1], ~0u);
             y != ~0u && tried < LL_MOST_CHOICES_;
             y = ll_next_choice_(b, n[1], y), ++tried) {
            const ll_layout to = ll_drop_registers_(*b, ~y);
            const ll_layout m = ll_memory_choose_(&from, &to, scale, t).m;
            const unsigned long long cost =
                ll_parts_cost_(a, &from, &m, scale, LL_WRITE, t) +
                ll_parts_cost_(b, &to, &m, scale, LL_READ, t);
            best = cost < least ? m : best;
            least = cost < least ? cost : least;
        }
    }
    return best;
}

/* Private: returns memory m with the columns of a that it lacks. These differ
 * between accesses alone, so they change no bank. */
LL_FN ll_layout ll_memory_whole_(ll_layout m, const ll_layout *a) {
    ll_span_ all = ll_span_of_columns_(&m, 0, m.in.bits[0]);
    const ll_span_ more = ll_span_of_columns_(a, 0, ll_shape_bits_(&a->in));
    ll_span_append_(&all, &more, LL_MAX_BITS);
    for (unsigned k = m.in.bits[0]; k < all.n; ++k) {
        m.basis[k] = all.v[k];
    }
    m.in.bits[0] = (unsigned short)all.n;
    return m;
}

/* ll_swizzle_by(a, b, element_bits, t, write_bytes, read_bytes): returns the
 * memory layout of ll_swizzle for accesses of at most write_bytes bytes from a,
 * and read_bytes bytes to b; 0: as wide as the registers allow. Narrower
 * accesses bring more lanes into one wavefront, and these must not meet in a
 * bank. A reader that takes one float at a time has read_bytes 4:
 *
 *     ll_swizzle_by(rows, cols, 32, LL_SM90, 0, 4)
 *
 * Which registers an access takes together is chosen; ll_widest and
 * ll_wavefronts count for the result. Fails as ll_swizzle does, with LL_EACCESS
 * for bytes that are no power of two, below an element's or above the target's
 * widest access, and with LL_EELEMENT for elements of 4 bits.
 * Example: ll_swizzle_by(L("register: j0 | lane: j1 j2 j3 j4 i0"),
 *          L("register: i0 | lane: j0 j1 j2 j3 j4"), 32, LL_SM90, 3, 4).err is
 *          LL_EACCESS;
 */
LL_FN ll_layout ll_swizzle_by(ll_layout a, ll_layout b, unsigned element_bits,
                              ll_target t, unsigned write_bytes,
                              unsigned read_bytes) {
    const unsigned scale = ll_element_scale_(element_bits);
    const unsigned bytes[2] = {write_bytes, read_bytes};
    unsigned n[2] = {LL_NO_BITS_, LL_NO_BITS_}; /* elements, by side */
    ll_layout best = ll_swizzle(a, b, element_bits, t);
    if (element_bits == 4u) {
        return ll_layout_bad_value_(best, LL_EELEMENT, 4);
    }
    for (unsigned k = 0; k < 2u && !best.err; ++k) {
        const unsigned log = ll_log2_(bytes[k]);
        if (bytes[k] && (log < scale || bytes[k] > t.access_bytes ||
                         log == LL_NO_BITS_)) {
            return ll_layout_bad_value_(best, LL_EACCESS, bytes[k]);
        }
        n[k] = bytes[k] ? log - scale : LL_NO_BITS_;
    }
    if (best.err) {
        return best;
    }
    a = ll_hardware_(a);
    b = ll_in_block_(ll_layout_onto_(ll_hardware_(b), &a.out));
    a = ll_in_block_(a);
    t = ll_without_forms_(ll_without_forms_(t, LL_READ), LL_WRITE);
    return ll_memory_whole_(ll_memory_by_(&a, &b, n, scale, &t), &a);
}

/* ---- plan/absorb: The best order of an axis --------------------------- */

/* Orders of an axis. The summed axis of a matmul may have any order; these
 * functions choose an order that widens accesses or avoids a conversion. */

/* ll_preshuffle(a, d, elements): returns the new number of each element of axis
 * d, such that a lane of ll_renumber(a, d, result) holds `elements` of them
 * contiguously along d, aligned, in its registers. If d is the fastest axis,
 * one access moves the whole vector. The bits of d that lanes hold come next,
 * so that lanes are contiguous as well.
 *
 * Use it for axis k of a matmul with an operand of few bits per element. A
 * layout counts elements: once converted to more bits in registers, the operand
 * has the layout of any other operand, but its accesses to memory move the same
 * elements in fewer bytes. The result of the matmul does not change if both
 * operands are shuffled. Either load both operands shuffled, or load one
 * shuffled and store the other, which hardware reads in its own order, with
 * element x at the place of s(x), where s is the result. For scales, pass the
 * shuffled layout to ll_scales_of. ll_bitcast counts elements of 4 bits in
 * pairs. (Paper, section 5.2, "Data Shuffling".) Fails with LL_EMISSING,
 * LL_EVECTOR (`elements` is no power of two, or a lane holds fewer).
 * Example: ll_preshuffle(L("register: j0 i3 j3 | lane: j1 j2 i0 i1 i2"),
 *                        LL_J, 4) is L("j: j0 j2 j3 j1");
 * Example: ll_preshuffle(L("register: j0 | lane: j1"), LL_J, 4).err is
 *          LL_EVECTOR;
 */
LL_FN ll_layout ll_preshuffle(ll_layout a, ll_dim d, unsigned elements) {
    const ll_layout h = ll_hardware_(a);
    const unsigned at = ll_shape_find_(&h.out, d);
    const unsigned bits = ll_log2_(elements);
    if (h.err || at == h.out.n) {
        return ll_layout_lacking_(h, d);
    }
    const ll_shape none = LL_ZERO;
    const unsigned n = h.out.bits[at];
    const unsigned start = ll_shape_start_(&h.out, at);
    const ll_shape one = ll_shape_add_(none, d, n);
    const ll_span_ axis = ll_span_units_(start, start + n);
    ll_layout order = ll_zero(one, one);
    ll_span_ lanes = LL_ZERO;
    for (unsigned k = h.in.bits[0]; k < ll_shape_bits_(&h.in); ++k) {
        ll_span_push_(&lanes, h.basis[k] & ll_shift_(ll_ones_(n), start));
    }
    const ll_span_ regs = ll_span_of_columns_(&h, 0, h.in.bits[0]);
    const ll_span_ held = ll_span_intersect_(&regs, &axis);
    ll_span_ all = ll_span_independent_(&lanes, &held);
    if (all.n < bits) { /* LL_NO_BITS_ is more than any */
        return ll_layout_bad_value_(order, LL_EVECTOR, elements);
    }
    all.n = bits;
    ll_span_append_(&all, &lanes, LL_MAX_BITS);
    ll_span_append_(&all, &axis, LL_MAX_BITS);
    for (unsigned k = 0; k < n; ++k) {
        order.basis[k] = ll_shift_down_(all.v[k], start);
    }
    return ll_inv(order);
}

/* Private: returns the part of column k of a along axis number `at`; for
 * k = LL_MAX_BITS, of the constant. */
LL_FN unsigned ll_on_axis_(const ll_layout *a, unsigned at, unsigned k) {
    const unsigned v = k < LL_MAX_BITS ? a->basis[k] : a->offset;
    return ll_shape_field_(&a->out, at, v);
}

/* Private: notes that u maps to v, unless earlier notes determine u or v. */
LL_FN void ll_span_becomes_(ll_span_ *from, ll_span_ *to, unsigned u,
                            unsigned v) {
    ll_span_ a = LL_ZERO;
    ll_span_ b = LL_ZERO;
    ll_span_push_(&a, u);
    ll_span_push_(&b, v);
    if (ll_span_independent_(from, &a).n && ll_span_independent_(to, &b).n) {
        ll_span_push_(from, u);
        ll_span_push_(to, v);
    }
}

/* Private: returns the vectors of axis `at` that registers hold, outside l. */
LL_FN ll_span_ ll_held_along_(const ll_layout *a, unsigned at,
                              const ll_span_ *l) {
    const unsigned start = ll_shape_start_(&a->out, at);
    const ll_span_ axis = ll_span_units_(start, start + a->out.bits[at]);
    const ll_span_ regs = ll_span_of_columns_(a, 0, a->in.bits[0]);
    ll_span_ held = ll_span_intersect_(&regs, &axis);
    for (unsigned k = 0; k < held.n; ++k) {
        held.v[k] = ll_shift_down_(held.v[k], start);
    }
    return ll_span_independent_(l, &held);
}

/* ll_absorb(a, b, d): returns the new number of each element of axis d, such
 * that ll_renumber(a, d, result) has the data where b wants it, as far as an
 * order of that axis can: in the same lanes and warps first, then in the same
 * registers. If the accumulators of a matmul are an operand of the next matmul,
 * its axis k is such an axis: it is summed over in any order, if the other
 * operand is renumbered as well. If a and b differ in d alone, no data leaves
 * its lane: the result has a constant where those of a and b differ. Fails with
 * LL_EMISSING, LL_EMATCH (the axes differ in size).
 * Example: ll_absorb(L("register: j0 i3 j3 | lane: j1 j2 i0 i1 i2"),
 *          L("register: j0 j1 i3 | lane: j2 j3 i0 i1 i2"), LL_J) is
 *          L("j: j0 j2 j3 j1");
 * Example: ll_absorb(L("lane: j0 j1"), L("lane: j0 j1 | 1: j0"), LL_J) is
 *          L("j: j0 j1 | 1: j0");
 * Example: ll_absorb(L("register: j0"), L("register: j0 j1"), LL_J).err is
 *          LL_EMATCH;
 */
LL_FN ll_layout ll_absorb(ll_layout a, ll_layout b, ll_dim d) {
    const ll_layout x = ll_hardware_(a);
    const ll_layout y = ll_hardware_(b);
    const ll_layout worst = ll_layout_worst_(x, y);
    const unsigned i = ll_shape_find_(&x.out, d);
    const unsigned j = ll_shape_find_(&y.out, d);
    if (worst.err || i == x.out.n || j == y.out.n) {
        return ll_layout_lacking_(worst, d);
    }
    const unsigned n = x.out.bits[i];
    if (y.out.bits[j] != n) {
        return ll_layout_bad_(worst, LL_EMATCH);
    }
    ll_span_ from = LL_ZERO;
    ll_span_ to = LL_ZERO;
    for (unsigned step = 0; step < 4u; ++step) { /* lanes, .., registers */
        const unsigned in = (step + 1u) % 4u;
        const unsigned s = ll_shape_start_(&x.in, in);
        const unsigned r = ll_shape_start_(&y.in, in);
        for (unsigned k = 0; k < x.in.bits[in] && k < y.in.bits[in]; ++k) {
            ll_span_becomes_(&from, &to, ll_on_axis_(&x, i, s + k),
                             ll_on_axis_(&y, j, r + k));
        }
    }
    const ll_span_ some = ll_held_along_(&x, i, &from);
    const ll_span_ same = ll_held_along_(&y, j, &to);
    for (unsigned k = 0; k < some.n && k < same.n; ++k) {
        ll_span_becomes_(&from, &to, some.v[k], same.v[k]);
    }
    const ll_span_ all = ll_span_units_(0, n);
    ll_span_append_(&from, &all, LL_MAX_BITS);
    ll_span_append_(&to, &all, LL_MAX_BITS);
    const ll_shape none = LL_ZERO;
    const ll_shape one = ll_shape_add_(none, d, n);
    ll_layout before = ll_zero(one, one);
    ll_layout after = before;
    for (unsigned k = 0; k < n; ++k) {
        before.basis[k] = from.v[k];
        after.basis[k] = to.v[k];
    }
    before.offset = ll_on_axis_(&x, i, LL_MAX_BITS);
    after.offset = ll_on_axis_(&y, j, LL_MAX_BITS);
    return ll_compose(after, ll_inv(before));
}

/* ---- plan/hops: Renamings and hops ------------------------------------ */

/* Steps that need no memory. A renaming gives registers other numbers; it is
 * free, or permutes bytes within words. A hop is one instruction that fetches a
 * word from another lane. A swap exchanges a position bit with a lane bit. */

/* Private: returns a renaming: position p takes the register that is the XOR of
 * `first` and of reg->v[k] for each bit k of p. */
LL_FN ll_step ll_step_renaming_(const ll_span_ *reg, unsigned first,
                                unsigned pack) {
    ll_step s = LL_ZERO;
    s.op = LL_OP_RENAME;
    s.pack = pack < reg->n ? pack : reg->n;
    s.bits = reg->n;
    s.at.n = reg->n;
    s.at.first = first;
    for (unsigned k = 0; k < reg->n; ++k) {
        s.at.reg[k] = reg->v[k];
    }
    return s;
}

/* Private: returns the renaming from the positions of an access to 2^bits
 * registers. Registers that hold copies take the same position. */
LL_FN ll_step ll_step_back_(const ll_access *m, unsigned bits, unsigned pack) {
    ll_span_ basis = LL_ZERO;
    ll_span_ wanted = LL_ZERO;
    ll_span_ reg = LL_ZERO;
    for (unsigned k = 0; k < m->n; ++k) {
        ll_span_push_(&basis, m->reg[k]);
    }
    for (unsigned k = 0; k < m->copies; ++k) {
        ll_span_push_(&basis, m->copy[k]);
    }
    for (unsigned k = 0; k < bits; ++k) {
        ll_span_push_(&wanted, 1u << k);
    }
    ll_span_push_(&wanted, m->first);
    const ll_span_ terms = ll_span_terms_(&basis, &wanted);
    for (unsigned k = 0; k < bits; ++k) {
        ll_span_push_(&reg, terms.v[k] & ll_ones_(m->n));
    }
    return ll_step_renaming_(&reg, terms.v[bits] & ll_ones_(m->n), pack);
}

/* Private: returns the renaming from registers to an access's positions. */
LL_FN ll_step ll_step_forth_(const ll_access *m, unsigned pack) {
    ll_span_ reg = LL_ZERO;
    for (unsigned k = 0; k < m->n; ++k) {
        ll_span_push_(&reg, m->reg[k]);
    }
    return ll_step_renaming_(&reg, m->first, pack);
}

/* Private: returns a step of selects. by_thread lists, for each thread bit, the
 * value that it XORs to the position. The step takes one select per word for
 * each dimension of the span of these values. */
LL_FN ll_step ll_step_selects_(const ll_span_ *by_thread, unsigned bits,
                               unsigned pack, unsigned element_bits) {
    const ll_span_ none = LL_ZERO;
    const ll_span_ basis = ll_span_independent_(&none, by_thread);
    const ll_span_ terms = ll_span_terms_(&basis, by_thread);
    ll_step s = LL_ZERO;
    s.op = LL_OP_SELECT;
    s.pack = pack;
    s.bits = bits;
    s.at.n = basis.n;
    for (unsigned k = 0; k < basis.n; ++k) {
        s.at.reg[k] = basis.v[k];
        for (unsigned t = 0; t < terms.n; ++t) {
            s.at.place[k] |= (terms.v[t] >> k & 1u) << t;
        }
    }
    s.count = basis.n * ll_word_count_(bits, pack, element_bits);
    return s;
}

/* Private: returns 1 if output d of x is just the input of that name. */
LL_FN int ll_output_stays_(const ll_layout *x, unsigned d) {
    const unsigned in = ll_shape_start_(&x->in, d);
    const unsigned out = ll_shape_start_(&x->out, d);
    const unsigned mask = ll_shift_(ll_ones_(x->out.bits[d]), out);
    int stays = x->in.bits[d] == x->out.bits[d] && !(x->offset & mask);
    for (unsigned k = 0; k < ll_shape_bits_(&x->in); ++k) {
        const unsigned bit = k - in < x->in.bits[d] ? 1u << (k - in) : 0u;
        stays = stays && (x->basis[k] & mask) == ll_shift_(bit, out);
    }
    return stays;
}

/* Private: returns 1 if a map with these columns keeps the lane bits below
 * `low` among themselves and every other lane bit in place. */
LL_FN int ll_map_stays_below_(const unsigned *column, unsigned n,
                              unsigned low) {
    int stays = 1;
    for (unsigned k = 0; k < n; ++k) {
        stays = stays && (k < low ? column[k] >> low == 0
                                  : column[k] == 1u << k);
    }
    return stays;
}

/* Private: returns the control of a hop in which each of 2^low lanes reads one
 * of these lanes: `low` bits per lane, from lane 0 up. */
LL_FN unsigned long long ll_control_(const unsigned *column, unsigned low,
                                     unsigned first) {
    unsigned long long control = 0;
    for (unsigned lane = 0; lane < 1u << low; ++lane) {
        const unsigned from = (first ^ ll_vectors_xor_(column, low, lane)) &
                              ll_ones_(low);
        control |= (unsigned long long)from << low * lane;
    }
    return control;
}

/* Private: returns 1 if the map with these columns leaves each lane bit in
 * place or, below bit 5, clears it. */
LL_FN int ll_map_is_diagonal_(const unsigned *column, unsigned n) {
    int is = 1;
    for (unsigned k = 0; k < n; ++k) {
        is = is && (column[k] == 1u << k || (k < 5u && column[k] == 0));
    }
    return is;
}

/* Private: appends a hop. `near`: it avoids the shared-memory pipe. */
LL_FN void ll_push_hop_(ll_hops *h, unsigned hop, unsigned long long control) {
    h->hop[h->n] = hop;
    h->control[h->n] = control;
    h->near = hop != LL_HOP_ANY && hop != LL_HOP_32;
    ++h->n;
}

/* Private: returns 1 if `hops` has it; LL_HOP_XOR: with this control. */
LL_FN int ll_can_hop_(unsigned hops, unsigned hop, unsigned control) {
    const unsigned by = hop == LL_HOP_XOR ? 16u + control : hop;
    return control < 16u && (hops >> hop & hops >> by & 1u);
}

/* Private: adds an XOR within a row, if there is one, and a map of 4 lanes. */
LL_FN void ll_hop_twice_(ll_hops *h, const unsigned *column, unsigned first,
                         unsigned hops) {
    for (unsigned c = first & 12u; c < (first & 12u) + 4u; ++c) {
        if (h->n == 0 && ll_can_hop_(hops, LL_HOP_XOR, c)) {
            ll_push_hop_(h, LL_HOP_XOR, c);
            ll_push_hop_(h, LL_HOP_QUAD, ll_control_(column, 2, first ^ c));
        }
    }
}

/* Private: adds the hops within 32 lanes for a map with these columns, followed
 * by an XOR with `first`. Returns 0 if two hops are not enough. */
LL_FN int ll_hop_(ll_hops *h, const unsigned *column, unsigned n,
                  unsigned first, unsigned hops) {
    const unsigned before = h->n;
    const unsigned row = first & 16u ? LL_HOP_ROWX : LL_HOP_ROW;
    const int still = ll_map_stays_below_(column, n, 0);
    const int quad = ll_map_stays_below_(column, n, 2) &&
                     ll_can_hop_(hops, LL_HOP_QUAD, 0);
    if (first >= 32u || h->n == 2u || (still && first == 0)) {
        return still && first == 0;
    }
    if (still && ll_can_hop_(hops, LL_HOP_XOR, first)) {
        ll_push_hop_(h, LL_HOP_XOR, first);
    } else if (quad && first < 4u) {
        ll_push_hop_(h, LL_HOP_QUAD, ll_control_(column, 2, first));
    } else if (ll_map_stays_below_(column, n, 4) && ll_can_hop_(hops, row, 0)) {
        ll_push_hop_(h, row, ll_control_(column, 4, first));
    } else if (quad && first < 16u) {
        ll_hop_twice_(h, column, first, hops);
    }
    if (h->n == before && ll_map_is_diagonal_(column, n) &&
        ll_can_hop_(hops, LL_HOP_32, 0)) {
        ll_push_hop_(h, LL_HOP_32,
                     column[0] | column[1] | column[2] | column[3] |
                         column[4] | first << 10);
    }
    return h->n > before;
}

/* ll_hops_of(m, place, hops, lanes): returns the hops that bring each lane l a
 * word from lane ll_map_at(m, l) ^ place. `hops` is the member of a target. The
 * result is the cheapest way of at most two hops; near hops are preferred. With
 * two hops, the second names a lane, and the first names the lane that this
 * lane reads. Returns LL_HOP_ANY if there is no other way, if the lane depends
 * on the warp, or if `lanes` is not a power of two up to 64.
 * Example: ll_hops_of(ll_map_of(ll_identity(64, LL_LANE, LL_LANE)), 4,
 *          LL_GFX942.hops, 64).control[0] is 7;
 * Example: ll_hops_of(ll_map_of(L("lane: lane1 lane0 lane2 lane3 lane4")), 0,
 *          LL_GFX1100.hops, 32).hop[0] is 1;
 * Example: ll_hops_of(ll_map_of(ll_identity(64, LL_LANE, LL_LANE)), 16,
 *          LL_GFX942.hops, 64).near is 0;
 */
LL_FN ll_hops ll_hops_of(ll_map m, unsigned place, unsigned hops,
                         unsigned lanes) {
    const unsigned n = ll_log2_(lanes);
    unsigned column[6] = LL_ZERO;
    unsigned first = m.offset ^ place;
    ll_hops h = LL_ZERO;
    int in_warp = 1;
    if (n > 6u) {
        ll_push_hop_(&h, LL_HOP_ANY, 0);
        return h;
    }
    for (unsigned k = 0; k < m.n; ++k) {
        in_warp = in_warp && m.mask[k] < lanes;
    }
    for (unsigned k = 0; k < n; ++k) {
        column[k] = ll_map_at(m, 1u << k) ^ m.offset;
    }
    h.near = 1;
    ll_hops swaps = h;
    for (unsigned lane = 16; lane < lanes; lane *= 2u) {
        if ((first & lane) && ll_can_hop_(hops, LL_HOP_SWAP, 0)) {
            ll_push_hop_(&swaps, LL_HOP_SWAP, lane);
        }
    }
    if (swaps.n && in_warp && ll_hop_(&swaps, column, n, first & 15u, hops) &&
        swaps.near) {
        return swaps;
    }
    if ((first & 32u) && ll_can_hop_(hops, LL_HOP_HALF, 0)) {
        ll_push_hop_(&h, LL_HOP_HALF, 0);
        first ^= 32u;
    }
    if (!in_warp || !ll_hop_(&h, column, n, first, hops)) {
        h.n = 0;
        ll_push_hop_(&h, LL_HOP_ANY, 0);
    }
    return h;
}

/* Private: lets a shuffle of `lanes` lanes use these hops. Counts its words
 * that use near hops only, and its instructions outside the shared-memory pipe:
 * near hops, and one for each lane that LL_HOP_ANY names. */
LL_FN void ll_hop_all_(ll_step *s, unsigned parts, unsigned hops,
                       unsigned lanes) {
    unsigned long long named = 0;
    s->hops = hops;
    s->near = s->logic = 0;
    for (unsigned p = 0; hops && p < 1u << s->bits; p += 1u << s->pack) {
        const unsigned place = ll_vectors_xor_(s->at.place, s->at.n, p);
        const ll_hops h = ll_hops_of(s->thread, place, hops, lanes);
        s->near += h.n && h.near ? parts : 0u;
        for (unsigned k = 0; k < h.n; ++k) {
            const unsigned hop = h.hop[k];
            s->logic += hop == LL_HOP_32     ? 0u
                        : hop == LL_HOP_SWAP ? 3u * parts
                        : hop != LL_HOP_ANY  ? parts
                                             : !(named >> place & 1u);
            named |= hop == LL_HOP_ANY ? 1ull << place : 0u;
        }
    }
}

/* ---- plan/swaps: Swaps ------------------------------------------------ */

/* Some targets have an instruction that exchanges a position bit with a lane
 * bit, for two words. In vectors of the source: before a swap the registers
 * hold the span of C and v, and the lane bit holds A. After the swap the
 * registers hold the span of C and A, and the lane bit holds v. At the end the
 * lane bits must hold the vectors that the solution asks for, and the registers
 * must hold the vectors of the result.
 *
 * The planner therefore finds the last swap first. C is what the registers need
 * after a swap, without A. Before the swap they need C and v; if v is in C,
 * they hold a copy of it. Exchanging two lane bits takes three swaps. The first
 * swap puts a spare v into its lane bit, the third one brings it back. */
typedef struct ll_swaps_ {
    unsigned n;
    unsigned lane[3]; /* the lane bit of each swap, as a lane number */
    unsigned get[3];  /* v: what the lane bit gets */
    unsigned give[3]; /* A: what the lane bit gives */
    ll_span_ kept[3]; /* C: what registers keep */
    unsigned pack;    /* log2 of the elements per word, which are first in C */
} ll_swaps_;

/* Private: returns the vector that a lane bit holds in the source. */
LL_FN unsigned ll_lane_from_(const ll_layout *x, unsigned lane) {
    return lane << x->out.bits[0];
}

/* Private: returns the vector that a lane bit holds in the result. */
LL_FN unsigned ll_lane_to_(const ll_layout *x, unsigned lane) {
    return x->basis[x->in.bits[0] + ll_log2_(lane)];
}

/* Private: returns 1 if x moves only registers and the lane bits in `swaps`. */
LL_FN int ll_is_swap_(const ll_layout *x, unsigned swaps) {
    const unsigned regs = x->in.bits[0];
    const unsigned fixed =
        ~(ll_ones_(x->out.bits[0]) | ll_lane_from_(x, swaps));
    int is = 1;
    for (unsigned k = 0; k < ll_shape_bits_(&x->in); ++k) {
        const unsigned bit = k < regs ? 0u : 1u << (k - regs);
        is = is && (k >= regs && !(bit & swaps)
                        ? x->basis[k] == ll_lane_from_(x, bit)
                        : !(x->basis[k] & fixed));
    }
    return is;
}

/* Private: returns l without components along vector `at` of the basis. */
LL_FN ll_span_ ll_span_less_(const ll_span_ *l, const ll_span_ *of,
                             unsigned at) {
    const ll_span_ terms = ll_span_terms_(of, l);
    ll_span_ rest = *l;
    for (unsigned k = 0; k < l->n; ++k) {
        rest.v[k] ^= terms.v[k] >> at & 1u ? of->v[at] : 0u;
    }
    return rest;
}

/* Private: returns a basis for three swaps; vector *at is the spare vector of
 * the first swap. It comes after the vectors that stay in a word and the
 * register parts of the vectors that the lane bits get, so these have no
 * component along it. If possible, the result needs it, too. */
LL_FN ll_span_ ll_spare_basis_(const ll_layout *x, const ll_span_ *wanted,
                               const ll_swaps_ *w, unsigned *at) {
    const unsigned regs = ll_ones_(x->out.bits[0]);
    const ll_span_ units = ll_span_units_(0, x->out.bits[0] + x->out.bits[1]);
    ll_span_ basis = LL_ZERO;
    ll_span_ more = *wanted;
    more.n = w->pack;
    ll_span_push_(&more, ll_lane_to_(x, w->lane[0]) & regs);
    ll_span_push_(&more, ll_lane_to_(x, w->lane[1]) & regs);
    ll_span_append_(&basis, &more, LL_MAX_BITS);
    *at = basis.n;
    more = *wanted;
    for (unsigned k = 0; k < wanted->n; ++k) {
        more.v[k] &= wanted->v[k] & ~regs ? 0u : regs;
    }
    ll_span_append_(&basis, &more, LL_MAX_BITS);
    ll_span_append_(&basis, &units, LL_MAX_BITS);
    return basis;
}

/* Private: fills in what each swap keeps, gets and gives, from the last swap to
 * the first. `need` lists what registers hold at the end, starting with the
 * vectors that stay in words. Returns 0 if some would start in lanes. */
LL_FN int ll_swaps_back_(const ll_layout *x, ll_span_ need, ll_swaps_ *w) {
    const ll_span_ none = LL_ZERO;
    const unsigned regs = ll_ones_(x->out.bits[0]);
    unsigned at = 0;
    const ll_span_ basis =
        w->n == 3u ? ll_spare_basis_(x, &need, w, &at) : none;
    const unsigned spare = basis.v[at] & ~regs ? 0u : basis.v[at];
    for (unsigned k = w->n; k-- > 0;) {
        const int again = k == 2u;
        w->get[k] = w->n == 3u && k == 0 ? spare : ll_lane_to_(x, w->lane[k]);
        w->give[k] = again ? spare : ll_lane_from_(x, w->lane[k]);
        if (again) {
            need = ll_span_less_(&need, &basis, at);
        }
        for (unsigned m = 0; m < need.n && !again; ++m) {
            need.v[m] &= ~w->give[k];
        }
        ll_span_append_(&w->kept[k], &need, LL_MAX_BITS);
        need.n = w->pack;
        ll_span_push_(&need, w->get[k]);
        for (unsigned m = w->pack; m < w->kept[k].n; ++m) {
            ll_span_push_(&need, w->kept[k].v[m]);
        }
    }
    return !(ll_span_or_(&need) & ~regs);
}

/* Private: makes the step of swap k. `now` has the vectors of the position bits
 * before the swap, and after it on return. Returns 0 if it splits a word. */
LL_FN int ll_swap_(ll_step *s, const ll_swaps_ *w, unsigned k, ll_span_ *now,
                   unsigned element_bits) {
    const unsigned word = ll_ones_(w->pack);
    ll_span_ next = w->kept[k];
    ll_span_push_(&next, w->get[k]);
    ll_span_ terms = ll_span_terms_(now, &next);
    const int whole = !(terms.v[next.n - 1u] & word);
    for (unsigned m = w->pack; m < next.n; ++m) {
        terms.v[m] &= ~word;
        next.v[m] = ll_vectors_xor_(now->v, now->n, terms.v[m]);
    }
    *s = ll_step_renaming_(&terms, 0, w->pack);
    s->op = LL_OP_SWAP;
    s->at.place[next.n - 1u] = w->lane[k];
    s->count = ll_word_count_(next.n, w->pack, element_bits) / 2u;
    next.v[next.n - 1u] = w->give[k];
    *now = next;
    return whole;
}

/* Private: returns the plan that renames, makes these swaps, and renames again,
 * so that registers hold `wanted`. Fails with LL_EKIND. */
LL_FN ll_plan ll_plan_by_swaps_(ll_plan p, const ll_layout *x, ll_swaps_ *w,
                                const ll_span_ *wanted) {
    const unsigned pack = ll_elements_per_word_(p.element_bits);
    ll_span_ offset = LL_ZERO;
    ll_span_ all = ll_span_units_(0, p.from_bits);
    p.kind = LL_SHUFFLES;
    p.err = ll_swaps_back_(x, *wanted, w) ? 0u : (unsigned)LL_EKIND;
    p.n = w->n + 2u;
    ll_span_ now = w->kept[0];
    ll_span_push_(&now, w->get[0]);
    const ll_span_ start = now;
    for (unsigned k = 0; k < w->n && !p.err; ++k) {
        const int whole = ll_swap_(&p.step[k + 1u], w, k, &now, p.element_bits);
        p.err = whole ? 0u : (unsigned)LL_EKIND;
    }
    const ll_span_ images = ll_span_of_columns_(x, 0, p.to_bits);
    for (unsigned k = 0; k < now.n; ++k) {
        ll_span_push_(&all, now.v[k]);
    }
    ll_span_push_(&offset, x->offset);
    p.err = ll_in_span_(&offset, &all) ? p.err : (unsigned)LL_EKIND;
    const unsigned first = ll_span_terms_(&all, &offset).v[0];
    const ll_span_ reg = ll_span_terms_(&now, &images);
    p.step[0] =
        ll_step_renaming_(&start, first & ll_ones_(p.from_bits), w->pack);
    p.step[0].count = ll_permutes_(&p.step[0].at, p.element_bits,
                                   pack < p.from_bits ? pack : p.from_bits,
                                   w->pack);
    ll_step *last = &p.step[p.n - 1u];
    *last = ll_step_renaming_(&reg, first >> p.from_bits, pack);
    last->count =
        ll_permutes_(&last->at, p.element_bits, w->pack, last->pack);
    return p;
}

/* ---- plan/exchange: Exchanges within a warp --------------------------- */

/* An exchange moves elements between the lanes of a warp by rounds of shuffles.
 * The solution x tells where register r of thread t (its lane and warp) finds
 * its element: in register A r + B t of lane C r + D t. In one shuffle each
 * lane sends one word and receives one. In round r thread t receives its
 * register r + H t from lane C r + (C H + D) t, and thread s sends its register
 * E r + G s. H is chosen such that C H + D is invertible; then such a G exists.
 * Selects before the rounds apply G, and selects after them apply H.
 *
 * If the source has copies in other lanes, D is chosen such that no H is
 * needed. If no H makes C H + D invertible, the rounds fetch every register
 * that some lane wants from another lane, and H selects among them. Registers V
 * that move together (C v = 0) fill words. (Paper, section 5.4, "Intra-warp";
 * there H = G = 0 and rounds are split instead.) */
typedef struct ll_exchange_ {
    int ok;
    ll_layout x;     /* the solution */
    unsigned pack;   /* log2 of the elements that move as one word */
    unsigned first;  /* register of the source that position 0 starts with */
    ll_span_ to;     /* registers of the result, by position bit */
    ll_span_ from;   /* registers of the source, by position bit */
    ll_span_ early;  /* G, by thread bit */
    ll_span_ late;   /* H, by lane bit */
    ll_span_ lane;   /* C H + D: the lane to read from, by thread bit */
} ll_exchange_;

/* Private: returns the register of a place of x. */
LL_FN unsigned ll_place_register_(const ll_layout *x, unsigned y) {
    return y & ll_ones_(x->out.bits[0]);
}

/* Private: returns the lane of a place of x. */
LL_FN unsigned ll_place_lane_(const ll_layout *x, unsigned y) {
    return y >> x->out.bits[0] & ll_ones_(x->out.bits[1]);
}

/* Private: returns the source lanes of the listed result registers: C r. */
LL_FN ll_span_ ll_lanes_of_(const ll_layout *x, const ll_span_ *l) {
    ll_span_ image = LL_ZERO;
    for (unsigned k = 0; k < l->n; ++k) {
        ll_span_push_(&image, ll_place_lane_(x, ll_layout_linear_(x, l->v[k])));
    }
    return image;
}

/* Private: returns the source registers of the listed result registers: A r. */
LL_FN ll_span_ ll_regs_of_(const ll_layout *x, const ll_span_ *l) {
    ll_span_ image = LL_ZERO;
    for (unsigned k = 0; k < l->n; ++k) {
        ll_span_push_(&image,
                      ll_place_register_(x, ll_layout_linear_(x, l->v[k])));
    }
    return image;
}

/* Private: returns the column of thread bit t, counted from lane bit 0. */
LL_FN unsigned ll_thread_image_(const ll_layout *x, unsigned t) {
    return x->basis[x->in.bits[0] + t];
}

/* Private: returns the register bits of the result with columns independent of
 * earlier columns; the other register bits lead to copies. */
LL_FN ll_span_ ll_original_registers_(const ll_layout *x) {
    const ll_span_ none = LL_ZERO;
    const ll_span_ image = ll_span_of_columns_(x, 0, x->in.bits[0]);
    const ll_span_ kept = ll_span_independent_(&none, &image);
    ll_span_ l = LL_ZERO;
    for (unsigned k = 0; k < image.n && l.n < kept.n; ++k) {
        if (image.v[k] == kept.v[l.n]) {
            ll_span_push_(&l, 1u << k);
        }
    }
    return l;
}

/* Private: sets H by C H = 1 + D, so lanes keep numbers; 0 if none does. */
LL_FN int ll_exchange_late_same_(const ll_layout *x, const ll_span_ *regs,
                                 ll_span_ *late) {
    const ll_span_ none = LL_ZERO;
    const ll_span_ lanes = ll_lanes_of_(x, regs);
    ll_echelon_ r = LL_ZERO;
    unsigned left = 0;
    *late = none;
    for (unsigned k = 0; k < regs->n; ++k) {
        ll_echelon_load_(&r, lanes.v[k], regs->v[k]);
    }
    for (unsigned t = 0; t < x->in.bits[1]; ++t) {
        ll_echelon_load_(
            &r, ll_place_lane_(x, ll_thread_image_(x, t)) ^ 1u << t, 0);
    }
    ll_echelon_eliminate_(&r, 0, regs->n);
    for (unsigned k = regs->n; k < r.n; ++k) {
        left |= ll_echelon_vector_(&r, k);
        ll_span_push_(late, ll_echelon_mix_(&r, k));
    }
    return left == 0;
}

/* Private: finds vectors that separate lanes which D maps to one lane although
 * they want different registers. `by` lists the candidates, and `lanes` the
 * lanes they lead to. Each vector that is taken leads to a lane outside the
 * image of D. `apart` gets one vector per lane bit, mostly 0. */
LL_FN void ll_lanes_tell_apart_(const ll_layout *x, const ll_span_ *by,
                                const ll_span_ *lanes, ll_span_ *apart) {
    const ll_span_ none = LL_ZERO;
    const unsigned n = x->in.bits[1];
    ll_echelon_ r = LL_ZERO;
    unsigned next = n;
    *apart = none;
    for (unsigned t = 0; t < n; ++t) {
        ll_echelon_load_(&r, ll_place_lane_(x, ll_thread_image_(x, t)),
                         1u << t);
    }
    for (unsigned k = 0; k < by->n; ++k) {
        ll_echelon_load_(&r, lanes->v[k], 0);
    }
    ll_echelon_eliminate_(&r, 0, r.n);
    for (unsigned t = 0; t < n; ++t) {
        const unsigned who = ll_echelon_mix_(&r, t) << x->in.bits[0];
        const int confused =
            ll_echelon_vector_(&r, t) == 0 && ll_layout_linear_(x, who);
        while (confused && next < r.n && ll_echelon_vector_(&r, next) == 0) {
            ++next;
        }
        ll_span_push_(apart, confused && next < r.n ? by->v[next - n] : 0u);
        next += confused ? 1u : 0u;
    }
}

/* Private: returns the solution in which lanes that D maps to one lane read
 * from copies, if layout a of the source has copies in other lanes. */
LL_FN ll_layout ll_lanes_spread_(ll_layout x, const ll_layout *a) {
    const unsigned n = x.out.bits[0] + x.out.bits[1];
    const ll_span_ images = ll_span_of_columns_(a, 0, n);
    const ll_span_ units = ll_span_units_(0, n);
    ll_span_ lanes = LL_ZERO;
    ll_span_ apart = LL_ZERO;
    const ll_span_ copies = ll_span_nullspace_(&units, &images);
    for (unsigned k = 0; k < copies.n; ++k) {
        ll_span_push_(&lanes, ll_place_lane_(&x, copies.v[k]));
    }
    ll_lanes_tell_apart_(&x, &copies, &lanes, &apart);
    for (unsigned t = 0; t < apart.n; ++t) {
        x.basis[x.in.bits[0] + t] ^= apart.v[t];
    }
    return x;
}

/* Private: returns the solution with additional registers. If lanes that read
 * from one lane still want different registers of it, each of them fetches all
 * these registers, and H selects. */
LL_FN ll_layout ll_registers_fetch_more_(ll_layout x, ll_span_ *late) {
    const unsigned n = x.in.bits[1];
    ll_echelon_ r = LL_ZERO;
    for (unsigned t = 0; t < n; ++t) {
        const unsigned y =
            ll_thread_image_(&x, t) ^ ll_layout_linear_(&x, late->v[t]);
        ll_echelon_load_(&r, ll_place_lane_(&x, y), y);
    }
    ll_echelon_eliminate_(&r, 0, n);
    for (unsigned t = 0; t < n; ++t) {
        const unsigned more = ll_echelon_mix_(&r, t);
        unsigned k = ll_shape_bits_(&x.in);
        if (ll_echelon_vector_(&r, t) || more == 0 || k == LL_MAX_BITS) {
            continue;
        }
        for (; k > x.in.bits[0]; --k) {
            x.basis[k] = x.basis[k - 1u];
        }
        x.basis[k] = more;
        late->v[t] = 1u << k;
        ++x.in.bits[0];
    }
    return x;
}

/* Private: sets G and the lanes to read from, for a known H. Returns 0 if lanes
 * that read from one lane want different registers of it. */
LL_FN int ll_exchange_early_(const ll_layout *x, ll_exchange_ *e) {
    const unsigned n = x->in.bits[1];
    const unsigned threads = n + x->in.bits[2];
    ll_echelon_ r = LL_ZERO;
    int ok = 1;
    for (unsigned t = 0; t < n; ++t) {
        const unsigned y =
            ll_thread_image_(x, t) ^ ll_layout_linear_(x, e->late.v[t]);
        ll_span_push_(&e->lane, ll_place_lane_(x, y));
        ll_echelon_load_(&r, e->lane.v[t], ll_place_register_(x, y));
    }
    for (unsigned t = 0; t < n; ++t) {
        ll_echelon_load_(&r, 1u << t, 0);
    }
    for (unsigned t = n; t < threads; ++t) {
        const unsigned y = ll_thread_image_(x, t);
        ll_span_push_(&e->lane, ll_place_lane_(x, y));
        ll_echelon_load_(&r, e->lane.v[t], ll_place_register_(x, y));
    }
    ll_echelon_load_(&r, ll_place_lane_(x, x->offset),
                     ll_place_register_(x, x->offset));
    ll_echelon_eliminate_(&r, 0, n);
    for (unsigned t = 0; t < n; ++t) {
        ok = ok && (ll_echelon_vector_(&r, t) || ll_echelon_mix_(&r, t) == 0);
    }
    for (unsigned k = n; k < r.n - 1u; ++k) {
        ll_span_push_(&e->early, ll_echelon_mix_(&r, k));
    }
    e->first = ll_echelon_mix_(&r, r.n - 1u);
    return ok;
}

/* Private: returns a basis of the XORs of the listed registers of the result
 * that come from the source word of register 0. */
LL_FN ll_span_ ll_registers_from_word_(const ll_layout *x, const ll_span_ *l,
                                       unsigned pack) {
    ll_span_ above = ll_regs_of_(x, l);
    for (unsigned k = 0; k < above.n; ++k) {
        above.v[k] >>= pack;
    }
    return ll_span_nullspace_(l, &above);
}

/* Private: returns V, at most `pack` registers that stay together: first
 * registers that share a word of the result and a word of the source, then
 * registers that share one of these words, then any others. */
LL_FN ll_span_ ll_registers_together_(const ll_layout *x, const ll_span_ *regs,
                                      unsigned pack) {
    const ll_span_ lanes = ll_lanes_of_(x, regs);
    const ll_span_ stay = ll_span_nullspace_(regs, &lanes);
    ll_span_ low = *regs;
    while (low.n && low.v[low.n - 1u] >> pack) {
        --low.n;
    }
    const ll_span_ to_word = ll_span_intersect_(&low, &stay);
    const ll_span_ from_word = ll_registers_from_word_(x, &stay, pack);
    ll_span_ v = ll_registers_from_word_(x, &to_word, pack);
    ll_span_append_(&v, &to_word, pack);
    ll_span_append_(&v, &from_word, pack);
    ll_span_append_(&v, &stay, pack);
    return v;
}

/* Private: returns the registers sent for result registers r: A r + G C r. */
LL_FN ll_span_ ll_exchange_sent_(const ll_layout *x, const ll_exchange_ *e,
                                 const ll_span_ *regs) {
    const ll_span_ lanes = ll_lanes_of_(x, regs);
    ll_span_ sent = ll_regs_of_(x, regs);
    for (unsigned k = 0; k < sent.n; ++k) {
        for (unsigned t = 0; t < x->out.bits[1]; ++t) {
            sent.v[k] ^= lanes.v[k] >> t & 1u ? e->early.v[t] : 0u;
        }
    }
    return sent;
}

/* Private: sets the positions of both sides when 2^e->pack elements move as one
 * word. Returns 0 if such elements do not stay together on the way. */
LL_FN int ll_exchange_positions_(const ll_layout *x, const ll_span_ *regs,
                                 const ll_span_ *together, ll_exchange_ *e) {
    const ll_span_ none = LL_ZERO;
    e->to = none;
    e->from = none;
    ll_span_append_(&e->to, together, e->pack);
    ll_span_append_(&e->to, &e->late, LL_MAX_BITS);
    ll_span_append_(&e->to, regs, LL_MAX_BITS);
    const ll_span_ sent = ll_exchange_sent_(x, e, &e->to);
    ll_span_append_(&e->from, &sent, LL_MAX_BITS);
    ll_span_append_(&e->from, &e->early, LL_MAX_BITS);
    ll_span_ apart = ll_span_terms_(&e->from, &e->early);
    const ll_span_ at = ll_span_terms_(&e->from, &sent);
    for (unsigned k = e->pack; k < at.n; ++k) {
        ll_span_push_(&apart, at.v[k]);
    }
    return (ll_span_or_(&apart) & ll_ones_(e->pack)) == 0;
}

/* Private: returns the exchange of x; `same`: lanes keep their numbers. */
LL_FN ll_exchange_ ll_exchange_of_(const ll_layout *x, unsigned pack,
                                   int same) {
    const ll_span_ regs = ll_original_registers_(x);
    const ll_span_ together = ll_registers_together_(x, &regs, pack);
    ll_exchange_ e = LL_ZERO;
    e.x = *x;
    if (same) {
        e.ok = ll_exchange_late_same_(x, &regs, &e.late);
    } else {
        /* The H of least rank. */
        const ll_span_ lanes = ll_lanes_of_(x, &regs);
        ll_lanes_tell_apart_(x, &regs, &lanes, &e.late);
        e.x = ll_registers_fetch_more_(*x, &e.late);
    }
    e.ok = (e.ok || !same) && ll_exchange_early_(&e.x, &e);
    e.pack = together.n;
    while (e.ok && !ll_exchange_positions_(&e.x, &regs, &together, &e)) {
        --e.pack;
    }
    return e;
}

/* Private: returns the step of the rounds of an exchange, between its two lists
 * of positions. If lanes keep their numbers, words in their lane stay. */
LL_FN ll_step ll_exchange_rounds_(const ll_layout *x, const ll_exchange_ *e,
                                  unsigned element_bits, const ll_target *t) {
    const ll_shape none = LL_ZERO;
    const ll_span_ sent = ll_exchange_sent_(x, e, &e->to);
    const ll_span_ at = ll_span_terms_(&e->from, &sent);
    ll_span_ lanes = ll_lanes_of_(x, &e->to);
    ll_step s = ll_step_renaming_(&at, 0, e->pack);
    ll_layout thread = ll_zero(ll_shape_add_(none, LL_LANE, e->lane.n), x->out);
    int same = 1;
    for (unsigned k = 0; k < lanes.n; ++k) {
        s.at.place[k] = lanes.v[k];
    }
    for (unsigned k = 0; k < e->lane.n; ++k) {
        thread.basis[k] = e->lane.v[k];
        same = same && e->lane.v[k] == (k < x->in.bits[1] ? 1u << k : 0u);
    }
    thread.offset = ll_place_lane_(x, x->offset);
    ll_span_ here = LL_ZERO;
    ll_span_push_(&here, thread.offset);
    s.thread = ll_map_of(thread);
    const unsigned still = same && ll_in_span_(&here, &lanes)
                               ? 1u << ll_span_nullspace_(&lanes, &lanes).n
                               : 0u;
    s.count = (((1u << lanes.n) - still) >> e->pack) *
              ll_element_words_(element_bits);
    ll_hop_all_(&s, ll_element_words_(element_bits), t->hops, t->lanes);
    return s;
}

/* Private: returns the renaming from positions to result registers. */
LL_FN ll_step ll_exchange_arrived_(const ll_exchange_ *e, unsigned bits,
                                   unsigned pack) {
    ll_access m = LL_ZERO;
    const ll_span_ units = ll_span_units_(0, bits);
    const ll_span_ images = ll_span_of_columns_(&e->x, 0, bits);
    const ll_span_ copies = ll_span_nullspace_(&units, &images);
    m.n = e->to.n;
    m.copies = copies.n;
    for (unsigned k = 0; k < m.n; ++k) {
        m.reg[k] = e->to.v[k];
    }
    for (unsigned k = 0; k < m.copies; ++k) {
        m.copy[k] = copies.v[k];
    }
    return ll_step_back_(&m, bits, pack);
}

/* Private: returns 1 if the byte permutes of a renaming can take position r ^
 * by in place of r: each word then comes from the same one or two words. */
LL_FN int ll_can_flip_(const ll_step *s, unsigned by, unsigned before) {
    ll_access more = s->at;
    more.n = s->pack + 1u;
    more.reg[s->pack] = by;
    return s->count && ll_word_rank_(&s->at, before, s->pack) <= 1u &&
           ll_word_rank_(&more, before, more.n) ==
               ll_word_rank_(&s->at, before, s->pack);
}

/* Private: moves one of the selects into a renaming that permutes bytes anyway:
 * the selectors of its permutes then depend on the thread. The renaming has
 * source words of 2^before elements; if `early`, it precedes the selects. */
LL_FN void ll_step_flip_by_(ll_step *renaming, ll_step *selects, int early,
                            unsigned before) {
    ll_access *at = &selects->at;
    for (unsigned k = 0; k < at->n && !renaming->flip; ++k) {
        const unsigned by = early ? ll_vectors_xor_(renaming->at.reg,
                                                    renaming->at.n, at->reg[k])
                                  : at->reg[k];
        if (ll_can_flip_(renaming, by, before)) {
            renaming->flip = at->place[k];
            renaming->flip_by = by;
            selects->count -= selects->count / at->n;
            --at->n;
            at->reg[k] = at->reg[at->n];
            at->place[k] = at->place[at->n];
        }
    }
}

/* Private: returns the plan p with the steps of an exchange. */
LL_FN ll_plan ll_plan_within_warp_(ll_plan p, const ll_exchange_ *e,
                                   const ll_target *t) {
    const unsigned bits = p.element_bits;
    const ll_span_ early = ll_span_terms_(&e->from, &e->early);
    const ll_span_ late = ll_span_terms_(&e->to, &e->late);
    const unsigned pack = ll_elements_per_word_(bits);
    ll_step first = ll_step_renaming_(&e->from, e->first, e->pack);
    ll_step last = ll_exchange_arrived_(e, p.to_bits, pack);
    ll_step rounds = ll_exchange_rounds_(&e->x, e, bits, t);
    ll_step before = ll_step_selects_(&early, e->from.n, e->pack, bits);
    ll_step after = ll_step_selects_(&late, e->to.n, e->pack, bits);
    p.kind = rounds.count ? LL_SHUFFLES : LL_REGISTERS;
    rounds.op = rounds.count ? LL_OP_SHUFFLE : LL_OP_RENAME;
    first.count = ll_permutes_(&first.at, bits,
                               pack < p.from_bits ? pack : p.from_bits,
                               first.pack);
    last.count = ll_permutes_(&last.at, bits, e->pack, last.pack);
    ll_step_flip_by_(&first, &before, 1,
                     pack < p.from_bits ? pack : p.from_bits);
    ll_step_flip_by_(&last, &after, 0, e->pack);
    const ll_step *all[LL_MAX_STEPS] = {&first, &before, &rounds, &after,
                                        &last}; /* exactly LL_MAX_STEPS */
    for (unsigned k = 0; k < LL_MAX_STEPS; ++k) {
        if (all[k]->op != LL_OP_SELECT || all[k]->at.n) {
            p.step[p.n] = *all[k];
            ++p.n;
        }
    }
    return p;
}

/* ---- plan/costs: Costs ------------------------------------------------ */

/* Costs are for one warp among many. Three units work in parallel: the pipe of
 * shared memory and shuffles; the units for selects and permutes; and the
 * schedulers, which issue all instructions. The busiest unit determines the
 * time of a plan. The latter two are idle for a fixed time at the start and the
 * end of an exchange by shuffles. Barriers add up. bench/device/costs.cu
 * measures instructions, alone and mixed; LL_COST_ISSUE and LL_COST_START are
 * fitted to timed exchanges. (198 conversions on sm_90 were timed, 120 of them
 * not fitted. The runner-up was faster once, by 2.4 %.) */

/* Private: returns 1 if the operation is a barrier, which moves nothing. */
LL_FN int ll_is_sync_(unsigned op) {
    return op == LL_OP_SYNC_WARP || op == LL_OP_SYNC_BLOCK ||
           op == LL_OP_SYNC_CLUSTER;
}

/* Private: returns the shifts and bitwise selects of a plan for elements of 4
 * bits. Moving apart takes a shift per word of pairs, joining again takes a
 * shift and a select. Less than a word of pairs takes two instructions. */
LL_FN unsigned ll_nibble_logic_(const ll_plan *p) {
    unsigned logic = 0;
    for (unsigned side = 0; side < 2u; ++side) {
        const unsigned how = side ? p->after : p->before;
        const unsigned bits = side ? p->to_bits : p->from_bits;
        const unsigned pairs = how == LL_APART ? bits - 1u : bits;
        const unsigned words = ll_word_count_(pairs, 2, 8);
        logic += words * (how != LL_APART              ? ll_nibble_cost_(how)
                          : side == 0 && pairs >= 2u ? 1u
                                                     : 2u);
    }
    return logic;
}

/* Private: the busy time of each unit, in eighths of a cycle. */
typedef struct ll_work_ {
    unsigned pipe;  /* shared memory and shuffles */
    unsigned logic; /* selects, permutes and near hops */
    unsigned issue; /* shuffles, selects and permutes; doubled */
    unsigned start; /* idle time at both ends of an exchange */
    unsigned wait;  /* barriers */
} ll_work_;

/* Private: adds the work of a step. */
LL_FN void ll_add_work_(ll_work_ *w, const ll_step *s, const ll_target *t) {
    const unsigned *cost = t->cost;
    const unsigned n = s->count;
    if (s->op == LL_OP_STORE || s->op == LL_OP_LOAD) {
        w->pipe += n * s->wavefronts *
                   cost[s->dsmem ? LL_COST_DSMEM : LL_COST_MEMORY];
    } else if (s->op == LL_OP_SHUFFLE) {
        w->pipe += (n - s->near) * cost[LL_COST_SHUFFLE];
        w->logic += s->logic * cost[LL_COST_LOGIC];
        w->issue += 2u * n * cost[LL_COST_ISSUE];
        w->start = cost[LL_COST_START];
    } else if (ll_is_sync_(s->op)) {
        w->wait += n * cost[s->op == LL_OP_SYNC_WARP    ? LL_COST_WARP
                            : s->op == LL_OP_SYNC_BLOCK ? LL_COST_BLOCK
                                                        : LL_COST_CLUSTER];
    } else {
        w->logic += n * cost[s->op == LL_OP_SELECT ? LL_COST_SELECT
                                                   : LL_COST_LOGIC];
        w->issue += n * cost[LL_COST_ISSUE];
    }
}

/* Private: returns the estimated cycles of a plan. */
LL_FN unsigned ll_plan_cycles_(const ll_plan *p, const ll_target *t) {
    ll_work_ w = LL_ZERO;
    for (unsigned k = 0; k < p->n; ++k) {
        ll_add_work_(&w, &p->step[k], t);
    }
    const unsigned nibbles = ll_nibble_logic_(p);
    w.logic += nibbles * t->cost[LL_COST_LOGIC];
    w.issue += nibbles * t->cost[LL_COST_ISSUE];
    const unsigned issue = w.issue / 2u;
    const unsigned start = w.logic ? w.start : 0u;
    const unsigned lanes = (w.logic > issue ? w.logic : issue) + start;
    return ((w.pipe > lanes ? w.pipe : lanes) + w.wait + 7u) / 8u;
}

/* ---- plan/memory: Plans through memory -------------------------------- */

/* Plans that store to shared memory and load from it. Variants keep pieces of
 * rows whole, over-read, or reduce byte permutes. */

/* Private: appends an offset bit with column y to memory m. */
LL_FN void ll_more_memory_(ll_layout *m, unsigned y) {
    m->basis[m->in.bits[0]] = y;
    ++m->in.bits[0];
}

/* Private: returns the cheapest memory for the exchange from a to b, which have
 * registers, lanes and warps. If the data stays in its warp (`own`), each warp
 * has its own part of the memory, in the order of the warps. The next plan may
 * then start as soon as the warp is ready. If a warp bit has different columns
 * in a and b, the part of a warp sees only the difference. */
LL_FN ll_best_memory_ ll_memory_(ll_layout a, ll_layout b, int own,
                                 unsigned scale, const ll_target *t) {
    const unsigned all = ll_shape_bits_(&a.in);
    const unsigned start = own ? ll_shape_start_(&a.in, 2) : all;
    const ll_span_ warps = ll_span_of_columns_(&a, start, all);
    for (unsigned k = 0; k < warps.n; ++k) {
        b.basis[ll_shape_start_(&b.in, 2) + k] ^= warps.v[k];
    }
    a.in.n -= own ? 1u : 0u;
    ll_best_memory_ best = ll_memory_choose_(&a, &b, scale, t);
    for (unsigned k = 0; k < warps.n; ++k) {
        ll_more_memory_(&best.m, warps.v[k]);
    }
    return best;
}

/* Private: returns the cheapest memory for lanes that load from 2^blocks blocks
 * with identical memory layouts. A place is an offset in a block's memory, with
 * the block number above it. The block is the highest output of b. A block has
 * at least 16 bytes, so no access crosses into the next. */
LL_FN ll_best_memory_ ll_cluster_memory_(ll_layout a, ll_layout b,
                                         unsigned blocks, unsigned scale,
                                         const ll_target *t) {
    const unsigned top = ll_shape_bits_(&a.out) - blocks;
    for (unsigned k = 0; k < ll_shape_bits_(&b.in); ++k) {
        b.basis[k] &= ll_ones_(top);
    }
    ll_best_memory_ best = ll_memory_(a, b, 0, scale, t);
    while (blocks && best.m.in.bits[0] + scale < 4u) {
        ll_more_memory_(&best.m, 0);
    }
    for (unsigned k = 0; k < blocks; ++k) {
        ll_more_memory_(&best.m, 1u << (top + k));
    }
    return best;
}

/* Private: tries a memory that starts with the vectors `low`. Its pieces, each
 * 2^n elements of a row, keep their order wherever they lie. */
LL_FN void ll_try_pieces_(ll_best_memory_ *best, const ll_layout *a,
                          const ll_layout *b, const ll_span_ *low, unsigned n,
                          ll_way_ way, unsigned scale, const ll_target *t) {
    ll_layout m =
        ll_memory_arrange_(a, b, low, ll_way_of_vectors_(n), way, scale, t);
    for (unsigned k = n; k < m.in.bits[0]; ++k) {
        m.basis[k] &= ~ll_ones_(n);
    }
    ll_try_memory_(best, &m, a, b, LL_READ, scale, t);
}

/* Private: returns the cheapest memory between a and b that copies can fill
 * from a row-major tile. Pieces of 4 to 16 bytes stay whole, out of the
 * contiguous elements of a row in a lane of a. A copy moves at most one piece:
 * sets t->store_bytes to the bytes of a piece. */
LL_FN ll_layout ll_memory_of_pieces_(const ll_layout *a, const ll_layout *b,
                                     unsigned scale, ll_target *t) {
    ll_target some = *t;
    const ll_span_ ra = ll_span_of_columns_(a, 0, a->in.bits[0]);
    const ll_span_ rb = ll_span_of_columns_(b, 0, b->in.bits[0]);
    const ll_span_ common = ll_span_intersect_(&rb, &ra);
    const unsigned cols = a->out.bits[0];
    const unsigned widest = ll_widest_access_(scale, t);
    const ll_access at = ll_access_meet_(a, cols < widest ? cols : widest);
    ll_best_memory_ best = LL_ZERO;
    best.cost = ~0ull;
    best.m = ll_layout_none_(LL_EKIND);
    for (unsigned n = at.vector + 1u; n-- > 0 && n + scale >= 2u;) {
        const ll_span_ low = ll_span_units_(0, n);
        const unsigned long long before = best.cost;
        some.store_bytes = 1u << (n + scale);
        ll_try_pieces_(&best, a, b, &low, n,
                       ll_way_of_vectors_(ll_in_span_(&low, &rb)), scale,
                       &some);
        for (unsigned form = LL_FORM_MATRIX; form < LL_MAX_FORMS; ++form) {
            const ll_form code = t->forms[LL_READ][form];
            const ll_span_ row = ll_matrix_row_(b, &common, code, scale, t);
            const ll_way_ way = {form, row.n};
            if (row.n) {
                ll_span_ more = low;
                ll_span_append_(&more, &row, row.n);
                ll_try_pieces_(&best, a, b, &more, n, way, scale, &some);
            }
        }
        t->store_bytes =
            best.cost < before ? some.store_bytes : t->store_bytes;
    }
    return best.m;
}

/* Private: tries the memories with whole pieces, each 2^n elements of a row,
 * that vector or matrix accesses of b read. The elements of a piece are in
 * order, or the elements of a matrix row come first. */
LL_FN void ll_try_whole_(ll_best_memory_ *best, const ll_layout *a,
                         const ll_layout *b, unsigned n, unsigned scale,
                         const ll_target *t) {
    const ll_span_ rb = ll_span_of_columns_(b, 0, b->in.bits[0]);
    const ll_span_ units = ll_span_units_(0, n);
    const ll_span_ common = ll_span_intersect_(&rb, &units);
    ll_try_pieces_(best, a, b, &units, n,
                   ll_way_of_vectors_(ll_in_span_(&units, &rb)), scale, t);
    for (unsigned form = LL_FORM_MATRIX; form < LL_MAX_FORMS; ++form) {
        const ll_form code = t->forms[LL_READ][form];
        const ll_span_ row = ll_matrix_row_(b, &common, code, scale, t);
        const ll_way_ way = {form, row.n};
        ll_span_ low = row;
        ll_span_append_(&low, &units, LL_MAX_BITS);
        if (row.n && low.n == n && row.n + scale == ll_form_row_bits_(code)) {
            ll_try_pieces_(best, a, b, &low, n, way, scale, t);
        }
    }
}

/* ll_for_operand(a, element_bits, t): returns the memory layout that feeds an
 * operand of layout a from row-major global memory by pieces of 16 bytes of a
 * row, as cp.async writes and ldmatrix reads them. Neither writing the pieces,
 * with lanes side by side as in ll_rows_for, nor reading registers of a in the
 * cheapest way of the target has bank conflicts. This holds for every operand
 * of both vendors' headers; for other layouts the result is the best of the
 * ll_swizzle layout and of memories with whole pieces.
 *
 * Pieces stay whole where that costs no conflict: always for NVIDIA's operands,
 * in a tensor with one piece per lane of a warp; some pieces of AMD's operands
 * are cut. The bytes of a piece are in order, except for operands of 8 bits
 * with fewer than four neighbours of a row per lane, such as B. A piece then
 * begins with the bytes that a lane holds, for instance of columns 0 and 8, and
 * registers must fill the memory, not cp.async. (LL_COPIES keeps the order, and
 * reads fewer bytes at once.) A conversion through registers (LL_PLAN from
 * ll_rows_for) may split rows and do better. For column-major memory, transpose
 * the operand before the call and the result after it. Elements of 4 bits are
 * read as pairs of one row. Fails as ll_swizzle and ll_rows_of do.
 * Example: ll_for_operand(ll_ptx_mma_a(16, 32, 16, 1), 16, LL_SM90) is
 *          L("offset: j0 j1 j2 j3 j4 i0 i3 j3^i1 j4^i2");
 */
LL_FN ll_layout ll_for_operand(ll_layout a, unsigned element_bits,
                               ll_target t) {
    const unsigned scale = ll_element_scale_(element_bits);
    if (element_bits == 4u) {
        a = ll_hardware_(a);
        const ll_pairs_ p = ll_pairs_of_(&a, &a, 1);
        const ll_layout m =
            p.u && !a.err
                ? ll_for_operand(ll_nibbles_paired_(&a, p.before, 1), 8, t)
                : ll_layout_bad_(a, LL_EPAIR);
        return m.err ? m : ll_nibbles_unpaired_(&m, &a, p);
    }
    const ll_layout rows = ll_rows_for(a, ll_element_held_(element_bits) / 8u);
    const unsigned piece = ll_vector(rows, ll_shift_down_(16u, scale));
    /* Reads keep only registers within a piece: others cut it. */
    const unsigned kept = ll_registers_in_(&a, piece - 1u);
    const ll_layout m = ll_swizzle(rows, ll_drop_registers_(a, ~kept),
                                   element_bits, t);
    if (m.err) {
        return m;
    }
    ll_best_memory_ best = LL_ZERO;
    best.cost = ~0ull;
    t = ll_without_forms_(t, LL_WRITE);
    a = ll_layout_onto_(ll_in_block_(ll_hardware_(a)), &rows.out);
    ll_try_memory_(&best, &m, &rows, &a, LL_READ, scale, &t);
    ll_try_whole_(&best, &rows, &a, ll_log2_(piece), scale, &t);
    return best.m;
}

/* Private: returns plan p with the steps of a conversion through p.memory: a
 * renaming, stores, a barrier, loads and a renaming. */
LL_FN ll_plan ll_plan_by_memory_(ll_plan p, const ll_layout *a,
                                 const ll_layout *b, const ll_passes_ *cut,
                                 int own, const ll_target *t) {
    const unsigned scale = ll_element_scale_(p.element_bits);
    const unsigned pack = ll_elements_per_word_(p.element_bits);
    p.kind = p.rank ? LL_CLUSTER : LL_SHARED;
    p.passes = cut->n;
    if (p.memory.in.bits[0] + scale >= 32u) {
        p.err = LL_EBITS;
        return p;
    }
    p.smem_bytes = 1u << (p.memory.in.bits[0] - p.blocks + scale);
    const ll_step store = ll_step_between_(a, &p.memory, scale, LL_WRITE, t);
    const ll_step load = ll_step_between_(b, &p.memory, scale, LL_READ, t);
    const ll_access forth = ll_access_uncut_(store.at, cut, 0);
    const ll_access back = ll_access_uncut_(load.at, cut, 1);
    p.n = 5;
    p.step[0] = ll_step_forth_(&forth, store.pack);
    p.step[0].count =
        ll_permutes_(&p.step[0].at, p.element_bits,
                     pack < p.from_bits ? pack : p.from_bits, p.step[0].pack);
    p.step[1] = ll_step_addressed_(ll_step_repeated_(store, cut->n), a,
                                   &p.memory, scale, t);
    p.step[2].op = own        ? LL_OP_SYNC_WARP
                   : p.blocks ? LL_OP_SYNC_CLUSTER
                              : LL_OP_SYNC_BLOCK;
    p.step[2].count = (2u << cut->n) - (p.blocks ? 0u : 1u);
    p.step[3] = ll_step_addressed_(ll_step_repeated_(load, cut->n), b,
                                   &p.memory, scale, t);
    p.step[3].dsmem = p.blocks ? ll_log2_(p.smem_bytes) : 0u;
    p.step[4] = ll_step_back_(&back, p.to_bits, pack);
    p.step[4].count = ll_permutes_(&p.step[4].at, p.element_bits,
                                   p.step[3].pack, p.step[4].pack);
    p.cycles = ll_plan_cycles_(&p, t);
    return p;
}

/* Private: returns plan p through the cheapest memory between a and b. */
LL_FN ll_plan ll_plan_through_memory_(ll_plan p, ll_layout a, ll_layout b,
                                      const ll_layout *x, const ll_passes_ *cut,
                                      const ll_target *t) {
    const unsigned scale = ll_element_scale_(p.element_bits);
    const int own =
        !p.rank && ll_output_stays_(x, 2) && ll_spare_threads_(&a) < t->lanes;
    a = ll_drop_registers_(a, cut->mask[0]);
    b = ll_drop_registers_(b, cut->mask[1]);
    const ll_best_memory_ best = p.rank
                              ? ll_cluster_memory_(a, b, p.blocks, scale, t)
                              : ll_memory_(a, b, own, scale, t);
    p.memory = best.m;
    p.fewest = (unsigned)(best.vectors >> 32) << cut->n;
    return ll_plan_by_memory_(p, &a, &b, cut, own, t);
}

/* Private: returns b with thread bit w turned into one more register bit.
 *
 * Matrix accesses move pairs of bytes, which both sides must hold in registers.
 * If the sides share no register, lanes over-read: they load pairs of bytes but
 * need one byte of each pair. Bit w of the thread number selects this byte. The
 * bit is a register bit of the load, and the last renaming takes the byte that
 * the thread needs. Neighbouring lanes that read the same bytes cost no extra
 * wavefronts, so this also helps where lanes would load less than a word at
 * once. (Of 15,958 pairs of random layouts, 8 bits, sm_90, 2,767 change, to
 * 0.83 times the cycles on average, 0.45 times at best.) */
LL_FN ll_layout ll_layout_with_both_(const ll_layout *b, unsigned w) {
    const unsigned thread = b->in.bits[0] + w;
    ll_layout c = ll_mul(*b, ll_zeros(2, LL_REGISTER, b->out.dim[0], 1));
    c.basis[b->in.bits[0]] = b->basis[thread];
    c.basis[thread + 1u] = 0;
    return c;
}

/* Private: returns the plan with an over-read by bit w of the thread number. */
LL_FN ll_plan ll_plan_over_read_(const ll_plan *p, const ll_layout *a,
                                 const ll_layout *b, const ll_layout *x,
                                 unsigned w, const ll_target *t) {
    const ll_passes_ once = LL_ZERO;
    const ll_layout c = ll_layout_with_both_(b, w);
    ll_plan q = *p;
    ++q.to_bits;
    q = ll_plan_through_memory_(q, *a, c, x, &once, t);
    --q.to_bits;
    ll_step *last = &q.step[4];
    last->flip_by = last->at.reg[p->to_bits];
    if (!q.err && last->flip_by >> q.step[3].pack) {
        q.err = LL_EKIND;
    }
    last->at.n = last->bits = p->to_bits;
    last->flip = 1u << w;
    last->count = ll_word_count_(last->bits, last->pack, p->element_bits) *
                  (ll_word_rank_(&last->at, q.step[3].pack, last->pack) > 1u
                       ? 2u
                       : 1u);
    q.cycles = q.err ? 0u : ll_plan_cycles_(&q, t);
    return q;
}

/* Private: returns the cheapest plan with an over-read, or q if none is
 * cheaper. It tries at most two thread bits: first lane bit 0 or 1, as such
 * lanes share wavefronts; then, if that does not help or stores less than
 * words, one of the highest thread bits. */
LL_FN ll_plan ll_plan_over_reads_(const ll_plan *p, ll_plan q,
                                  const ll_layout *a, const ll_layout *b,
                                  const ll_layout *x, const ll_target *t) {
    const ll_span_ ra = ll_span_of_columns_(a, 0, a->in.bits[0]);
    const ll_span_ rb = ll_span_of_columns_(b, 0, b->in.bits[0]);
    const int apart = p->element_bits == 8u &&
                      !ll_span_intersect_(&ra, &rb).n &&
                      !t->forms[LL_READ][LL_FORM_BYTES];
    if (q.err || !(apart || q.step[3].bytes < 4u) || p->element_bits > 16u ||
        !t->forms[LL_READ][LL_FORM_TRANS] || p->to_bits < 2u) {
        return q;
    }
    const unsigned threads = b->in.bits[1] + b->in.bits[2];
    const unsigned cycles = q.cycles;
    unsigned tries = 2;
    for (unsigned k = 0; k < threads && tries; ++k) {
        const unsigned w = k < 2u ? k : threads + 1u - k;
        ll_span_ u = LL_ZERO;
        ll_span_push_(&u, b->basis[b->in.bits[0] + w]);
        if (u.v[0] && ll_in_span_(&u, &ra) &&
            (w < b->in.bits[1] || !ll_output_stays_(x, 2))) {
            const ll_plan r = ll_plan_over_read_(p, a, b, x, w, t);
            const int wider = q.cycles < cycles && r.cycles == q.cycles &&
                              r.step[1].bytes > q.step[1].bytes;
            q = !r.err && (r.cycles < q.cycles || wider) ? r : q;
            tries -= q.cycles < cycles && q.step[1].bytes >= 4u ? tries : 1u;
            k += k == 0;
        }
    }
    return q;
}

/* Private: returns 1 if byte permutes take plan p longer than its accesses, and
 * other accesses could be cheaper. */
LL_FN int ll_plan_may_permute_less_(const ll_plan *p, const ll_target *t) {
    const unsigned memory = p->fewest * t->cost[LL_COST_MEMORY];
    ll_plan q = *p;
    q.step[0].count = q.step[4].count = 0;
    const int permutes = !p->err && ll_plan_cycles_(&q, t) < p->cycles;
    q.step[1].count = q.step[3].count = 0;
    return permutes &&
           (p->step[1].form || p->step[3].form ||
            ll_plan_cycles_(&q, t) + (memory + 7u) / 8u < p->cycles);
}

/* Private: returns q, or a cheaper plan with two of 4 low columns exchanged. */
LL_FN ll_plan ll_plan_reordered_(const ll_plan *p, ll_plan q,
                                 const ll_layout *a, const ll_layout *b,
                                 const ll_target *t) {
    const ll_passes_ once = LL_ZERO;
    const int own = q.step[2].op == LL_OP_SYNC_WARP;
    const int may = !q.step[4].flip && ll_plan_may_permute_less_(&q, t);
    const unsigned low = q.memory.in.bits[0] - (own ? a->in.bits[2] : 0u);
    const ll_layout m = q.memory;
    ll_plan r = *p;
    r.fewest = q.fewest;
    for (unsigned i = 0; may && i < 4u && i < low; ++i) {
        for (unsigned j = 0; j < i; ++j) {
            r.memory = m;
            r.memory.basis[i] = m.basis[j];
            r.memory.basis[j] = m.basis[i];
            const ll_plan s = ll_plan_by_memory_(r, a, b, &once, own, t);
            q = !s.err && s.cycles < q.cycles ? s : q;
        }
    }
    return q;
}

/* Private: returns the plan through the cheapest memory for all registers but n
 * that both sides share, with these n registers appended last. */
LL_FN ll_plan ll_plan_without_common_(const ll_plan *p, const ll_layout *a,
                                      const ll_layout *b, const ll_layout *x,
                                      unsigned n, const ll_target *t) {
    const ll_passes_ once = LL_ZERO;
    const ll_passes_ cut = ll_passes_of_(a, b, n);
    ll_plan q = *p;
    q.err = LL_EKIND;
    if (cut.n == n) {
        q = ll_plan_through_memory_(*p, *a, *b, x, &cut, t);
    }
    if (q.err) {
        return q;
    }
    ll_plan r = *p;
    r.memory = q.memory;
    for (unsigned k = 0; k < n; ++k) {
        ll_more_memory_(&r.memory, a->basis[cut.bit[0][k]]);
    }
    return ll_plan_by_memory_(r, a, b, &once, q.step[2].op == LL_OP_SYNC_WARP,
                              t);
}

/* Private: returns the cheapest of plan q and plans that may need fewer
 * permutes: with memory in another order, with narrower accesses, with vectors
 * only, or with registers of both sides last in memory. */
LL_FN ll_plan ll_plan_permuted_less_(const ll_plan *p, ll_plan q, ll_layout a,
                                     ll_layout b, const ll_layout *x,
                                     const ll_target *t) {
    const ll_passes_ once = LL_ZERO;
    const unsigned fewest = q.fewest;
    ll_plan best = q;
    for (unsigned k = 0; k < 8u && ll_plan_may_permute_less_(&best, t); ++k) {
        ll_target some = *t;
        some.access_bytes >>= k / 2u;
        if (k & 1u) {
            some = ll_without_forms_(some, LL_READ);
            some = ll_without_forms_(some, LL_WRITE);
        }
        if (k < 6u && !some.access_bytes) {
            continue;
        }
        q = k == 0   ? q
            : k < 6u ? ll_plan_through_memory_(*p, a, b, x, &once, &some)
                     : ll_plan_without_common_(p, &a, &b, x, k - 5u, t);
        q.fewest = fewest;
        q = k < 6u ? ll_plan_reordered_(p, q, &a, &b, &some) : q;
        best = !q.err && q.cycles < best.cycles ? q : best;
    }
    return best;
}

/* ---- plan/convert: Conversions ---------------------------------------- */

/* The planner tries each kind of plan and returns the cheapest plan, with the
 * best plan of another kind as its runner-up. A conversion from layout a to
 * layout b solves b = a x: x maps each place of b to a place of a that holds
 * the same element. If x stays within a lane, registers are renamed. Within a
 * warp, lanes exchange words. Within a block, data goes through shared memory;
 * beyond it, through the shared memory of the cluster. */

/* Private: returns the plan through `bytes` bytes of memory, in passes. */
LL_FN ll_plan ll_in_block_by_(const ll_plan *p, ll_layout a, ll_layout b,
                              const ll_layout *x, unsigned long long bytes,
                              const ll_target *t) {
    ll_passes_ cut = LL_ZERO;
    unsigned passes = 0;
    ll_plan q = ll_plan_through_memory_(*p, a, b, x, &cut, t);
    if (!p->rank) {
        q = ll_plan_over_reads_(p, q, &a, &b, x, t);
        q = ll_plan_permuted_less_(p, q, a, b, x, t);
    }
    while (!q.err && bytes && q.smem_bytes >> passes > bytes) {
        ++passes;
    }
    if (passes && !q.err) {
        cut = ll_passes_of_(&a, &b, passes);
        q = ll_plan_through_memory_(*p, a, b, x, &cut, t);
    }
    if (!q.err && q.smem_bytes > bytes) {
        q.err = LL_EBUDGET;
    }
    return q;
}

/* Private: returns the plan of kind LL_COPIES, with a barrier of the block. */
LL_FN ll_plan ll_by_copies_(ll_plan p, ll_layout a, ll_layout b, ll_target t) {
    const ll_passes_ once = LL_ZERO;
    const ll_shape out = a.out;
    b = ll_layout_onto_(ll_in_block_(b), &out);
    a = ll_in_block_(a);
    t = ll_without_forms_(t, LL_WRITE);
    p.memory =
        ll_memory_of_pieces_(&a, &b, ll_element_scale_(p.element_bits), &t);
    p.err = t.copies ? p.memory.err : (unsigned)LL_ENOCOPIES;
    p.copies = 1;
    p.next_kind = LL_SHARED;
    return p.err ? p : ll_plan_by_memory_(p, &a, &b, &once, 0, &t);
}

/* Private: returns a plan for lanes that need data of another block of the
 * cluster, or of different places in different blocks. Every block stores its
 * data in its own memory, and lanes load from the memory of the block to which
 * x leads. Stores stay in their own block, so that a block writes its memory
 * when it is ready, and an element that several blocks need is stored once. */
LL_FN ll_plan ll_plan_in_cluster_(ll_plan p, ll_layout a, const ll_layout *x,
                                  unsigned long long bytes, ll_target t) {
    const ll_shape out = a.out;
    const ll_span_ home = ll_span_of_columns_(&a, ll_shape_start_(&a.in, 3),
                                              ll_shape_bits_(&a.in));
    ll_layout place = ll_in_block_(a);
    p.rank = a.in.bits[1] + a.in.bits[2];
    p.blocks = ll_output_stays_(x, 3) ? 0u : a.in.bits[3];
    place.in = a.in;
    place.out = ll_shape_add_(out, LL_BLOCK, p.blocks);
    p.err = place.out.err;
    if (p.err) {
        return p;
    }
    for (unsigned k = 0; k < p.blocks; ++k) {
        place.basis[ll_shape_start_(&a.in, 3) + k] =
            1u << (ll_shape_bits_(&out) + k);
    }
    t = p.blocks ? ll_without_forms_(t, LL_READ) : t;
    p = ll_in_block_by_(&p, ll_in_block_(place), ll_compose(place, *x), x,
                        bytes, &t);
    if (p.err) {
        return p;
    }
    p.next_kind = p.kind;
    p.memory.in.bits[0] =
        (unsigned short)(p.memory.in.bits[0] - p.blocks);
    p.memory.in = ll_shape_add_(p.memory.in, LL_BLOCK, home.n);
    p.memory.out = out;
    for (unsigned k = 0; k < home.n; ++k) {
        p.memory.basis[p.memory.in.bits[0] + k] = home.v[k];
    }
    return p;
}

/* Private: returns 1 if the first plan is valid and costs no more than the
 * second. A valid plan beats any invalid plan. */
LL_FN int ll_plan_is_cheaper_(unsigned err, unsigned cycles, unsigned other_err,
                              unsigned other_cycles) {
    return !err && (other_err || cycles <= other_cycles);
}

/* Private: returns the cheaper of two plans; the other is its runner-up. */
LL_FN ll_plan ll_better_(const ll_plan *a, const ll_plan *b) {
    const int first = ll_plan_is_cheaper_(a->err, a->cycles, b->err, b->cycles);
    ll_plan p = first ? *a : *b;
    const ll_plan *other = first ? b : a;
    if (!other->err && other->kind != p.kind) {
        p.next_kind = other->kind;
        p.next_cycles = other->cycles;
    }
    return p;
}

/* Private: returns the cheapest plan of up to three swaps if it beats q,
 * otherwise q. (Of 20,000 pairs of random layouts of AMD's families on gfx950,
 * 983 change, to 0.32 times the cycles on average.) */
LL_FN ll_plan ll_plan_swapped_(const ll_plan *p, ll_plan q, const ll_layout *x,
                               const ll_target *t) {
    const unsigned high = t->swaps & (t->swaps - 1u);
    const unsigned bit[2] = {t->swaps ^ high, high};
    const ll_span_ regs = ll_original_registers_(x);
    const ll_span_ stay = ll_registers_together_(
        x, &regs, ll_elements_per_word_(p->element_bits));
    ll_span_ to = stay;
    ll_span_append_(&to, &regs, LL_MAX_BITS);
    ll_span_ wanted = LL_ZERO;
    for (unsigned k = 0; k < to.n; ++k) {
        ll_span_push_(&wanted, ll_layout_linear_(x, to.v[k]));
    }
    for (unsigned word = 0; word < 6u; ++word) {
        const unsigned lane[2] = {bit[word % 2u], bit[1u - word % 2u]};
        const unsigned n = word / 2u + 1u;
        const unsigned others = t->swaps ^ (n == 1u ? lane[0] : t->swaps);
        ll_plan r = q;
        r.err = LL_EKIND;
        for (unsigned pack = stay.n + 1u; r.err && pack-- > 0;) {
            ll_swaps_ w = LL_ZERO;
            w.n = n;
            w.pack = pack;
            w.lane[0] = w.lane[2] = lane[0];
            w.lane[1] = lane[1];
            if (lane[0] && (n == 1u || lane[1]) &&
                ll_is_swap_(x, t->swaps ^ others)) {
                r = ll_plan_by_swaps_(*p, x, &w, &wanted);
            }
        }
        r.cycles = ll_plan_cycles_(&r, t);
        q = ll_better_(&q, &r);
    }
    return q;
}

/* Private: returns plan p with its cost. All words of a shuffle use the
 * shared-memory pipe if that is cheaper: near hops add to the selects and byte
 * permutes, which run beside that pipe. */
LL_FN ll_plan ll_plan_priced_(ll_plan p, const ll_target *t) {
    const unsigned plain =
        t->hops & (1u << LL_HOP_ANY | 1u << LL_HOP_32 | 1u << LL_HOP_HALF);
    p.cycles = ll_plan_cycles_(&p, t);
    ll_plan q = p;
    for (unsigned k = 0; t->hops && k < q.n; ++k) {
        if (q.step[k].op == LL_OP_SHUFFLE) {
            ll_hop_all_(&q.step[k], ll_element_words_(p.element_bits),
                        plain, t->lanes);
        }
    }
    q.cycles = ll_plan_cycles_(&q, t);
    return q.cycles < p.cycles ? q : p;
}

/* Private: returns a plan within each warp. x maps to places of a. */
LL_FN ll_plan ll_plan_in_warp_(ll_plan p, const ll_layout *x,
                               const ll_layout *a, const ll_target *t) {
    const unsigned pack = ll_elements_per_word_(p.element_bits);
    ll_plan best = p;
    best.err = LL_EKIND;
    for (int same = 0; same < 2 && ll_output_stays_(x, 2); ++same) {
        const ll_layout from = same ? *x : ll_lanes_spread_(*x, a);
        const ll_exchange_ e = ll_exchange_of_(&from, pack, same);
        if (e.ok) {
            const ll_plan q =
                ll_plan_priced_(ll_plan_within_warp_(p, &e, t), t);
            best = ll_better_(&q, &best);
        }
    }
    return ll_is_swap_(x, t->swaps) ? ll_plan_swapped_(&p, best, x, t) : best;
}

/* Private: returns a plan that keeps data in its lane. If both layouts are the
 * `same`, data stays in its register too, even if x takes another copy. */
LL_FN ll_plan ll_in_lane_(ll_plan p, const ll_layout *x, int same,
                          const ll_target *t) {
    const unsigned pack = ll_elements_per_word_(p.element_bits);
    ll_span_ reg = ll_span_of_columns_(x, 0, p.to_bits);
    if (!same) {
        p.kind = LL_REGISTERS;
        p.n = 1;
        p.step[0] = ll_step_renaming_(&reg, x->offset, pack);
        p.step[0].count = ll_permutes_(
            &p.step[0].at, p.element_bits,
            pack < p.from_bits ? pack : p.from_bits, p.step[0].pack);
    }
    p.cycles = ll_plan_cycles_(&p, t);
    return p;
}

typedef struct ll_sides_ {
    ll_layout a, b; /* both with registers, lanes, warps and blocks */
    ll_layout x;    /* from places of b to places of a */
    ll_pairs_ pairs; /* of elements of 4 bits */
    unsigned nibbles;
} ll_sides_;

/* Private: gives both sides the same dimensions, computes x and returns the
 * start of a plan of this kind, or the error. */
LL_FN ll_plan ll_plan_begin_(ll_sides_ *s, unsigned element_bits, unsigned kind,
                             const ll_target *t) {
    ll_plan p = LL_ZERO;
    s->a = ll_hardware_(s->a);
    s->b = ll_with_blocks_(ll_hardware_(s->b), &s->a);
    s->a = ll_with_blocks_(s->a, &s->b);
    s->x = ll_places_map_(&s->a, &s->b, element_bits, t, LL_LOCAL);
    const int crosses = !s->x.err && !ll_is_trivial(s->x, "block");
    const int has_blocks = ll_shift_down_(t->blocks, s->a.in.bits[3]) != 0;
    p.lanes = t->lanes;
    p.threads = ll_threads_of_(&s->a);
    p.element_bits = ll_element_held_(element_bits);
    p.from_bits = s->a.in.bits[0];
    p.to_bits = s->b.in.bits[0];
    p.nibbles = s->nibbles;
    p.pair = s->pairs.u;
    p.before = s->pairs.before;
    p.after = s->pairs.after;
    const unsigned far = !has_blocks                            ? LL_EBLOCK
                         : kind == LL_CLUSTER || kind == LL_ANY ? LL_OK
                                                                : LL_EKIND;
    p.err = s->x.err ? s->x.err : crosses ? far : (unsigned)LL_OK;
    p.kind = crosses && !p.err ? (unsigned)LL_CLUSTER : 0u;
    return p;
}

/* Private: turns the sides of a plan for elements of 4 bits into sides for
 * bytes. Memory m, unless null, determines the pairs and is paired, too. */
LL_FN void ll_in_bytes_(ll_sides_ *s, unsigned kind, ll_layout *m,
                        const ll_target *t) {
    const ll_plan p = ll_plan_begin_(s, 8, kind, t);
    const ll_layout b = p.err ? s->b : ll_layout_onto_(s->b, &s->a.out);
    const int copied = kind == LL_COPIES;
    s->nibbles = 1;
    if (p.err) {
        return;
    }
    s->pairs = ll_pairs_of_(&s->a, &b, m ? m->basis[0] : copied ? 1u : 0u);
    if (m && s->pairs.u) {
        ll_span_ others = LL_ZERO;
        ll_span_add_others_(&others, &s->a, s->pairs.before, m->offset);
        ll_span_add_others_(&others, m, 0, m->offset);
        s->pairs.u = ll_is_pair_(s->pairs.u, &others) ? s->pairs.u : 0u;
    }
    if (s->pairs.u) {
        s->a = ll_nibbles_paired_(&s->a, s->pairs.before, s->pairs.u);
        s->b = ll_nibbles_paired_(&b, s->pairs.after, s->pairs.u);
    } else {
        const int none = m || copied;
        s->a = none ? ll_layout_bad_(s->a, m ? LL_EPAIR : LL_EKIND)
                    : ll_nibbles_apart_(s->a);
        s->b = ll_nibbles_apart_(b);
    }
    if (m && s->pairs.u) {
        *m = ll_nibbles_paired_(m, 0, s->pairs.u);
    }
}

/* Private: removes exchanges of nibbles that undo each other from a plan within
 * a lane. With other exchanges its kind is LL_REGISTERS. */
LL_FN ll_plan ll_unmoved_(ll_plan p) {
    const int undone = p.n == 0 && p.before == p.after;
    const unsigned apart = undone && p.before == LL_APART;
    if (undone) {
        p.before = p.after = LL_STAY;
        p.from_bits -= apart;
        p.to_bits -= apart;
        p.cycles = 0;
    } else {
        p.kind = p.next_kind = LL_REGISTERS;
    }
    return p;
}

/* Private: returns the cheapest plan of this kind within `bytes` bytes. */
LL_FN ll_plan ll_plan_cheapest_(ll_layout a, ll_layout b, unsigned element_bits,
                                ll_target t, unsigned kind,
                                unsigned long long bytes) {
    ll_sides_ s = LL_ZERO;
    s.a = a;
    s.b = b;
    if (element_bits == 4u) {
        ll_in_bytes_(&s, kind, 0, &t);
        element_bits = 8;
    }
    ll_plan p = ll_plan_begin_(&s, element_bits, kind, &t);
    if (p.err || kind > LL_COPIES) {
        p.err = p.err ? p.err : (unsigned)LL_ENOKIND;
        return p;
    }
    if (p.kind == LL_CLUSTER) {
        return ll_plan_in_cluster_(p, s.a, &s.x, bytes, t);
    }
    if (kind == LL_COPIES) {
        return ll_by_copies_(p, s.a, s.b, t);
    }
    if (ll_is_trivial(s.x, "lane warp")) {
        p = ll_in_lane_(p, &s.x,
                        ll_is_equal(s.a, ll_layout_onto_(s.b, &s.a.out)), &t);
        p = ll_unmoved_(p);
        p.err = p.kind > kind ? (unsigned)LL_EKIND : p.err;
        return p;
    }
    ll_plan warp = p;
    ll_plan memory = p;
    warp.err = memory.err = LL_EKIND;
    if (kind != LL_SHARED) {
        warp = ll_plan_in_warp_(p, &s.x, &s.a, &t);
    }
    if (kind >= LL_SHARED) {
        memory = ll_in_block_by_(&p, ll_in_block_(s.a),
                                 ll_layout_onto_(ll_in_block_(s.b), &s.a.out),
                                 &s.x, bytes, &t);
    }
    warp.err = warp.kind > kind ? (unsigned)LL_EKIND : warp.err;
    warp.next_kind = warp.kind;
    memory.next_kind = memory.kind;
    return ll_better_(&warp, &memory);
}

/* ll_plan_of(a, b, element_bits, t): returns the cheapest plan on target t that
 * converts registers of layout a to registers of layout b. The tensor stays the
 * same; b may hold only a part of it. The plan moves nothing, renames registers
 * within each lane, shuffles within each warp, or goes through shared memory.
 * Data that leaves its block, or lies in different places of different blocks,
 * goes through the shared memory of the cluster's blocks. If a lane's own block
 * holds an element, the lane loads it from there. (Paper, section 5.4.)
 *
 * ll_plan_by(a, b, element_bits, t, kind): returns the cheapest plan of at most
 * that kind, in the order LL_NOTHING .. LL_CLUSTER. LL_SHARED goes through the
 * shared memory of the block whenever data leaves its lane. LL_COPIES always
 * goes through shared memory, arranged for copies that fill it without the
 * registers of a: see ll_tile_copied.
 *
 * ll_plan_within(a, b, element_bits, t, bytes): returns the cheapest plan with
 * at most `bytes` bytes of shared memory per block. If both sides have enough
 * registers in common, it takes several passes.
 *
 * p.err tells why there is no plan: LL_EHARDWARE, LL_EMATCH, LL_ENOSOLUTION,
 * LL_EELEMENT, LL_ELANES, LL_EBLOCK (the target has no clusters of that many
 * blocks), LL_EBUDGET, LL_EKIND (no plan is of that kind; with LL_COPIES: no
 * lane of a holds 4 bytes of a row), LL_ENOCOPIES (the target has none),
 * LL_ENOKIND.
 * Example: ll_plan_by(L("register: j0 j1 | lane: i0 i1 i2 i3 i4"),
 *          L("register: j1 j0 | lane: i0 i1 i2 i3 i4"), 32, LL_SM90,
 *          LL_NOTHING).err is LL_EKIND;
 * Example: ll_plan_of(L("register: j0 | lane: i0 i1 i2 i3 i4 | block: i5"),
 *          L("register: i5 | lane: i0 i1 i2 i3 i4 | block: j0"), 32,
 *          LL_SM90).kind is LL_CLUSTER;
 * Example: ll_plan_within(ll_rows(64, 64, 2), ll_ptx_mma_a(64, 64, 16, 4), 16,
 *          LL_SM90, 4096).passes is 1;
 * Example: ll_plan_within(ll_rows(64, 64, 2), ll_ptx_mma_a(64, 64, 16, 4), 16,
 *          LL_SM90, 64).err is LL_EBUDGET;
 */
LL_FN ll_plan ll_plan_of(ll_layout a, ll_layout b, unsigned element_bits,
                         ll_target t) {
    return ll_plan_cheapest_(a, b, element_bits, t, LL_ANY, ~0ull);
}

LL_FN ll_plan ll_plan_by(ll_layout a, ll_layout b, unsigned element_bits,
                         ll_target t, unsigned kind) {
    return ll_plan_cheapest_(a, b, element_bits, t, kind, ~0ull);
}

LL_FN ll_plan ll_plan_within(ll_layout a, ll_layout b, unsigned element_bits,
                             ll_target t, unsigned bytes) {
    return ll_plan_cheapest_(a, b, element_bits, t, LL_ANY, bytes);
}

/* ll_plan_through(a, b, element_bits, t, m): returns the plan through shared
 * memory of layout m, from offset to tensor: for instance a layout that
 * hardware copies write and matrix instructions read, or the result of
 * ll_for_operand. Each side has the widest accesses that m allows without
 * needless wavefronts; m determines the bank conflicts. For one side alone,
 * with LL_LOAD_SHARED or LL_STORE_SHARED, pass the same layout as a and b.
 * p.err is LL_EMEMORY if m has other inputs or holds an element twice,
 * LL_EMATCH if m and a have different tensors, LL_EKIND if data leaves its
 * block, or an error of ll_plan_of.
 * Example: ll_plan_through(ll_rows(64, 64, 2), ll_ptx_mma_a(64, 64, 16, 4), 16,
 *          LL_SM90, ll_ptx_smem_k(64, 64, 16, 128)).step[3].wavefronts is 4;
 * Example: ll_plan_through(ll_rows(64, 64, 2), ll_rows(64, 64, 2), 16, LL_SM90,
 *          ll_rows(64, 64, 2)).err is LL_EMEMORY;
 */
LL_FN ll_plan ll_plan_through(ll_layout a, ll_layout b, unsigned element_bits,
                              ll_target t, ll_layout m) {
    const ll_passes_ once = LL_ZERO;
    ll_sides_ s = LL_ZERO;
    s.a = a;
    s.b = b;
    ll_plan p = ll_plan_begin_(&s, element_bits == 4u ? 8u : element_bits,
                               LL_SHARED, &t);
    ll_shape out = s.a.out;
    const int is_memory = m.in.n == 1u && m.in.dim[0] == LL_OFFSET;
    const unsigned err = !is_memory                           ? LL_EMEMORY
                         : !ll_shape_fits_both_(&m.out, &out) ? LL_EMATCH
                         : !ll_is_invertible(m)               ? LL_EMEMORY
                                                              : LL_OK;
    p.err = p.err ? p.err : m.err ? m.err : err;
    if (!p.err && element_bits == 4u) {
        m = ll_layout_onto_(m, &out);
        ll_in_bytes_(&s, LL_SHARED, &m, &t);
        p = ll_plan_begin_(&s, 8, LL_SHARED, &t);
        out = s.a.out;
    }
    if (p.err) {
        return p;
    }
    a = ll_in_block_(s.a);
    b = ll_layout_onto_(ll_in_block_(s.b), &out);
    p.memory = ll_layout_onto_(m, &out);
    p.next_kind = LL_SHARED;
    return ll_plan_by_memory_(p, &a, &b, &once, 0, &t);
}

/* ll_conflicts(p): returns the wavefronts per warp lost to bank conflicts. */
LL_FN unsigned ll_conflicts(ll_plan p) {
    unsigned lost = 0;
    for (unsigned k = 0; k < p.n; ++k) {
        const ll_step *s = &p.step[k];
        lost += (s->wavefronts - s->least) * s->count;
    }
    return lost;
}

/* ---- plan/reduce: Reductions ------------------------------------------ */

/* A reduction combines the elements along an axis. A place (register, lane,
 * warp) of layout a starts with one element y. After each step it holds the
 * combination of the coset y + S, for a subspace S of the axis that grows by
 * one vector v per step. If A d = v for an input d, places p and p ^ d together
 * hold what y + S + <v> needs, whatever else a does. If d has register bits
 * only, the step is an operation within each lane; if d has lane bits as well,
 * it is one round of a butterfly. The part of the axis that only warps hold is
 * first moved into registers and lanes by a conversion of the cosets, which
 * stores each coset once. All places of a coset combine the same operands in
 * the same tree, so copies have the same bits, provided that op(x, y) and op(y,
 * x) have the same bits. (Paper, section 5.1, "Broadcasting".) */

/* The combinations within each warp. First, 2^own registers are combined into
 * each of the 2^n positions. Then each of the `lanes` rounds combines every
 * position with a position of another lane. */
typedef struct ll_tree {
    unsigned n;                /* log2 of the positions */
    unsigned own;              /* log2 of the registers per position */
    unsigned reg[LL_MAX_BITS]; /* register of bit k of a position; from n on,
                                  the registers to combine */
    unsigned lanes;            /* rounds */
    unsigned with[6];          /* of each round: XORed to the position */
    unsigned lane[6];          /* of each round: XORed to the lane number */
    unsigned split;            /* number of first rounds that split positions:
                                  each lane continues with one half, and fetches
                                  the results of the other half at the end */
    unsigned alone;            /* 1: lanes do not fetch these results */
} ll_tree;

/* With LL_EHELD: the first bit of the axis that the layout does not hold. */
typedef struct ll_lack {
    ll_dim dim;
    unsigned bit;
} ll_lack;

/* A plan for the reduction of a layout along an axis. */
typedef struct ll_reduce_plan {
    unsigned err;
    unsigned lanes;      /* of a warp */
    unsigned threads;    /* of a block */
    unsigned element_bits;
    unsigned from_bits;  /* log2 of the registers before */
    unsigned to_bits;    /* log2 of the registers after */
    unsigned smem_bytes; /* of shared memory */
    unsigned cycles;     /* of a warp, estimated */
    unsigned crosses;    /* log2 of the partial results per element that warps
                            exchange; 0: one warp has the whole axis */
    ll_tree first;       /* in each warp, before the exchange */
    ll_plan between;     /* if it crosses: the exchange */
    ll_tree second;      /* if it crosses: in each warp, after it */
    unsigned reg[LL_MAX_BITS]; /* position of bit k of a result register */
    unsigned kept;       /* register bits before that remain after */
    unsigned reaches;    /* log2 of the partial results per element that blocks
                            exchange then; 0: one block has the whole axis */
    ll_layout far, near; /* if it reaches: layouts of the partial results in all
                            blocks, and as fetched by the warps of each block,
                            which then reduces them along `axis` */
    unsigned far_at, near_at; /* byte offsets of their shared memory */
    ll_dim axis;
    ll_target target;
    ll_lack lacks;
} ll_reduce_plan;

/* Private: returns the images of the inputs l under a, without its offset. */
LL_FN ll_span_ ll_span_images_(const ll_layout *a, const ll_span_ *l) {
    ll_span_ image = LL_ZERO;
    for (unsigned k = 0; k < l->n; ++k) {
        ll_span_push_(&image, ll_layout_linear_(a, l->v[k]));
    }
    return image;
}

/* Private: returns a basis of the XORs of inputs l that a maps into span s. */
LL_FN ll_span_ ll_inputs_into_(const ll_layout *a, const ll_span_ *l,
                               const ll_span_ *s) {
    ll_span_ image = ll_span_images_(a, l);
    ll_span_project_(&image, s);
    return ll_span_nullspace_(l, &image);
}

/* Private: returns the tree that combines the part of the axis in registers and
 * lanes of a. Sets *done to this part. Registers that are copies are left out,
 * and lane bits that only distinguish copies get no round. */
LL_FN ll_tree ll_tree_of_(const ll_layout *a, const ll_span_ *axis,
                          ll_span_ *done) {
    const ll_span_ none = LL_ZERO;
    const unsigned regs = a->in.bits[0];
    const ll_span_ units = ll_span_units_(0, regs);
    const ll_span_ lanes = ll_span_units_(regs, regs + a->in.bits[1]);
    const ll_span_ flat = ll_inputs_into_(a, &units, axis);
    ll_span_ image = ll_span_images_(a, &flat);
    const ll_span_ own = ll_span_fresh_(&none, &flat, &image);
    ll_span_ both = ll_span_independent_(&flat, &units);
    ll_tree tree = LL_ZERO;
    tree.n = both.n;
    tree.own = own.n;
    for (unsigned k = 0; k < tree.n + own.n; ++k) {
        tree.reg[k] = k < tree.n ? both.v[k] : own.v[k - tree.n];
    }
    *done = ll_span_independent_(&none, &image);
    const ll_span_ basis = both;
    ll_span_append_(&both, &lanes, LL_MAX_BITS);
    const ll_span_ into = ll_inputs_into_(a, &both, axis);
    image = ll_span_images_(a, &into);
    const ll_span_ rounds = ll_span_fresh_(done, &into, &image);
    ll_span_append_(done, &image, LL_MAX_BITS);
    const ll_span_ with = ll_span_terms_(&basis, &rounds);
    tree.lanes = rounds.n < 6u ? rounds.n : 6u;
    for (unsigned k = 0; k < tree.lanes; ++k) {
        tree.with[k] = with.v[k];
        tree.lane[k] = rounds.v[k] >> regs;
    }
    return tree;
}

/* Private: returns the layout of the results of a tree over a. Registers are
 * positions, elements are cosets of `done`. */
LL_FN ll_layout ll_tree_cosets_(const ll_layout *a, const ll_tree *tree,
                                const ll_span_ *done) {
    const unsigned regs = a->in.bits[0];
    ll_span_ columns = LL_ZERO;
    ll_layout q = *a;
    for (unsigned k = 0; k < tree->n; ++k) {
        ll_span_push_(&columns, ll_layout_linear_(a, tree->reg[k]));
    }
    for (unsigned k = regs; k < ll_shape_bits_(&a->in); ++k) {
        ll_span_push_(&columns, a->basis[k]);
    }
    ll_span_project_(&columns, done);
    q.in.bits[0] = (unsigned short)tree->n;
    for (unsigned k = 0; k < columns.n; ++k) {
        q.basis[k] = columns.v[k];
    }
    return q;
}

/* Private: returns q with the rest of the axis moved out of the warps, into new
 * registers and into `lanes` lane bits that would otherwise only distinguish
 * copies. q must have that many such lane bits. */
LL_FN ll_layout ll_axis_gathered_(const ll_layout *q, unsigned axis,
                                  const ll_span_ *rest, unsigned lanes) {
    const unsigned regs = q->in.bits[0];
    const unsigned more = rest->n - lanes;
    ll_layout b = *q;
    unsigned next = 0;
    b.in.bits[0] = (unsigned short)(regs + more);
    for (unsigned k = 0; k < ll_shape_bits_(&q->in); ++k) {
        const unsigned to = k < regs ? k : k + more;
        b.basis[to] = q->basis[k] & ~axis;
        if (k >= regs && next < lanes && b.basis[to] == 0) {
            b.basis[to] = rest->v[more + next];
            ++next;
        }
    }
    for (unsigned k = 0; k < more; ++k) {
        b.basis[regs + k] = rest->v[k];
    }
    return b;
}

/* Private: returns the number of lane bits of q that hold only the axis. */
LL_FN unsigned ll_idle_lanes_(const ll_layout *q, unsigned axis) {
    unsigned idle = 0;
    for (unsigned k = q->in.bits[0]; k < ll_shape_start_(&q->in, 2); ++k) {
        idle += (q->basis[k] & ~axis) == 0 ? 1u : 0u;
    }
    return idle;
}

/* Private: takes the lowest position (`by_lane`: lane) bit of round k, XORs the
 * round into all others from `first` on with this bit, and returns it. */
LL_FN unsigned ll_clear_round_(ll_tree *tree, unsigned first, unsigned k,
                               int by_lane) {
    const unsigned *bits = by_lane ? tree->lane : tree->with;
    const unsigned pivot = bits[k] & (~bits[k] + 1u);
    for (unsigned m = first; m < tree->lanes; ++m) {
        if (m != k && bits[m] & pivot) {
            tree->with[m] ^= tree->with[k];
            tree->lane[m] ^= tree->lane[k];
        }
    }
    return pivot;
}

/* Private: exchanges position bits a and b of a tree. */
LL_FN void ll_swap_positions_(ll_tree *tree, unsigned a, unsigned b) {
    const unsigned reg = tree->reg[a];
    tree->reg[a] = tree->reg[b];
    tree->reg[b] = reg;
    for (unsigned k = 0; k < tree->lanes; ++k) {
        const unsigned w = tree->with[k];
        const unsigned differ = (w >> a ^ w >> b) & 1u;
        tree->with[k] = w ^ (differ << a | differ << b);
    }
}

/* Private: returns the tree with its rounds combined so that all can be split.
 * Rounds that change the position come first, each with a position bit of its
 * own, from the highest bit down. Both lanes of such a round keep the half in
 * which that bit is 0. The other rounds change the lane number alone. Each has
 * a lane bit of its own, its lowest, which selects the half that a lane
 * keeps. */
LL_FN ll_tree ll_tree_apart_(ll_tree tree) {
    unsigned first = 0;
    for (unsigned k = 0; k < tree.lanes; ++k) {
        if (tree.with[k]) {
            const unsigned pivot = ll_clear_round_(&tree, 0, k, 0);
            const unsigned with = tree.with[k];
            const unsigned lane = tree.lane[k];
            tree.with[k] = tree.with[first];
            tree.lane[k] = tree.lane[first];
            tree.with[first] = with;
            tree.lane[first] = lane;
            ++first;
            ll_swap_positions_(&tree, ll_log2_(pivot), tree.n - first);
        }
    }
    for (unsigned k = first; k < tree.lanes; ++k) {
        ll_clear_round_(&tree, first, k, 1);
    }
    tree.split = first;
    return tree;
}

/* Private: returns the elements that a lane sends in the rounds of a tree. */
LL_FN unsigned ll_tree_sent_(const ll_tree *tree) {
    const unsigned all = 1u << tree->n;
    const unsigned left = all >> tree->split;
    return (tree->alone ? 1u : 2u) * (all - left) +
           (tree->lanes - tree->split) * left;
}

/* Private: returns the cost of a tree in eighths of a cycle. Its operations
 * count as logic. So do two selects per element that is sent or fetched in a
 * split round in which lanes keep different halves. */
LL_FN unsigned ll_tree_cost_(const ll_tree *tree, unsigned element_bits,
                             const ll_target *t) {
    const unsigned parts = ll_element_words_(element_bits);
    const unsigned sent = ll_tree_sent_(tree);
    const unsigned all = 1u << tree->n;
    const unsigned gone = all - (all >> tree->split);
    const unsigned ops =
        (ll_ones_(tree->own) << tree->n) + sent - (tree->alone ? 0u : gone);
    unsigned chosen = 0;
    for (unsigned k = 0; k < tree->split; ++k) {
        chosen += tree->with[k] ? 0u : all >> (k + 1u);
    }
    return (ops + (tree->alone ? 2u : 4u) * chosen * parts) *
               t->cost[LL_COST_LOGIC] +
           sent * parts * t->cost[LL_COST_SHUFFLE];
}

/* Private: returns the tree with the cheapest number of split rounds. */
LL_FN ll_tree ll_tree_split_(ll_tree tree, unsigned alone,
                             unsigned element_bits, const ll_target *t) {
    tree = ll_tree_apart_(tree);
    tree.alone = alone;
    ll_tree best = tree;
    while (tree.split < tree.lanes && tree.split < tree.n) {
        ++tree.split;
        if (ll_tree_cost_(&tree, element_bits, t) <
            ll_tree_cost_(&best, element_bits, t)) {
            best = tree;
        }
    }
    return best;
}

/* Private: returns the layout after the rounds of a tree that does not fetch
 * the other halves. In q each lane has all positions. */
LL_FN ll_layout ll_tree_halves_(const ll_layout *q, const ll_tree *tree) {
    const unsigned regs = tree->n - tree->split;
    ll_layout h = *q;
    h.in.bits[0] = (unsigned short)regs;
    for (unsigned k = tree->n; k < ll_shape_bits_(&q->in); ++k) {
        h.basis[k - tree->split] = q->basis[k];
    }
    for (unsigned k = 0; k < tree->split; ++k) {
        const unsigned lane = tree->lane[k];
        if (!tree->with[k]) {
            h.basis[regs + ll_log2_(lane & (~lane + 1u))] ^=
                q->basis[tree->n - 1u - k];
        }
    }
    return h;
}

/* Private: returns p with the cheapest conversion between warps, and tree. */
LL_FN ll_reduce_plan ll_reduce_across_(ll_reduce_plan p, const ll_layout *q,
                                       const ll_span_ *axis,
                                       const ll_span_ *rest,
                                       const ll_target *t) {
    const unsigned mask = ll_span_or_(axis);
    const unsigned idle = ll_idle_lanes_(q, mask);
    const ll_layout h = ll_tree_halves_(q, &p.first);
    ll_reduce_plan best = p;
    best.cycles = ~0u;
    best.err =
        ll_shape_bits_(&q->in) + rest->n > LL_MAX_BITS ? LL_EBITS : LL_OK;
    for (unsigned lanes = 0;
         !best.err && lanes <= idle && lanes <= rest->n; ++lanes) {
        ll_span_ done = LL_ZERO;
        const ll_layout b = ll_axis_gathered_(q, mask, rest, lanes);
        p.between = ll_plan_of(h, b, p.element_bits, *t);
        p.second =
            ll_tree_split_(ll_tree_of_(&b, axis, &done), 0, p.element_bits, t);
        p.cycles = p.between.cycles +
                   (ll_tree_cost_(&p.first, p.element_bits, t) +
                    ll_tree_cost_(&p.second, p.element_bits, t) + 7u) / 8u;
        p.err = p.between.err;
        p.smem_bytes = p.between.smem_bytes;
        if (p.err || p.cycles < best.cycles) {
            best = p;
        }
    }
    return best;
}

/* Private: returns the layout, with LL_EHELD if it does not hold all of axis
 * number `at`; then a.at is the first packed output bit that it lacks. */
LL_FN ll_layout ll_layout_holding_(ll_layout a, unsigned at) {
    const unsigned start = ll_shape_start_(&a.out, at);
    const ll_span_ axis = ll_span_units_(start, start + a.out.bits[at]);
    const ll_span_ all = ll_span_of_columns_(&a, 0, ll_shape_bits_(&a.in));
    const unsigned n = ll_in_span_(&axis, &all);
    return n < axis.n ? ll_layout_bad_value_(a, LL_EHELD, start + n) : a;
}

/* Private: returns the bit that a layout of ll_layout_holding_ lacks. */
LL_FN ll_lack ll_lack_of_(const ll_layout *a) {
    ll_lack l = LL_ZERO;
    unsigned at = 0;
    if (a->err == LL_EHELD) {
        while (a->at >= ll_shape_start_(&a->out, at + 1u)) {
            ++at;
        }
        l.dim = a->out.dim[at];
        l.bit = a->at - ll_shape_start_(&a->out, at);
    }
    return l;
}

/* Private: returns a with its hardware inputs: without blocks if one block has
 * the whole axis, otherwise with them. On failure, returns an invalid layout.
 * Sets *axis to the packed output bits of axis d. */
LL_FN ll_layout ll_layout_reducible_(ll_layout a, ll_dim d,
                                     unsigned element_bits, const ll_target *t,
                                     ll_span_ *axis) {
    const unsigned at = ll_axis_at_(&a.out, d);
    const unsigned start = ll_shape_start_(&a.out, at);
    a = at < a.out.n || a.err ? ll_hardware_(a)
                              : ll_layout_bad_(a, LL_EMISSING);
    const ll_layout x = ll_places_map_(&a, &a, element_bits, t, LL_FIRST);
    if (a.err || x.err) {
        return ll_layout_bad_(a, x.err);
    }
    *axis = ll_span_units_(start, start + a.out.bits[at]);
    const ll_layout block = ll_in_block_(a);
    const ll_span_ here =
        ll_span_of_columns_(&block, 0, ll_shape_bits_(&block.in));
    return ll_in_span_(axis, &here) == axis->n ? block
                                              : ll_layout_holding_(a, at);
}

/* Private: returns a within one block, as ll_layout_reducible_ does. Fails also
 * with LL_EBLOCK if a block has only a part of the axis, or if the coordinate
 * along the axis depends on the block. */
LL_FN ll_layout ll_layout_scannable_(ll_layout a, ll_dim d,
                                     unsigned element_bits, const ll_target *t,
                                     ll_span_ *axis) {
    const ll_layout all = ll_hardware_(a);
    a = ll_layout_reducible_(a, d, element_bits, t, axis);
    const unsigned moved =
        ll_columns_beyond_(&all, ll_shape_start_(&all.in, 3));
    return a.in.n > 3u || moved & ll_span_or_(axis)
               ? ll_layout_bad_(a, LL_EBLOCK)
               : a;
}

/* Private: finds the position of each register of the result, which holds the
 * same element of the tensor without the axis. */
LL_FN void ll_reduce_results_(ll_reduce_plan *p, const ll_layout *a,
                              const ll_layout *q, unsigned axis) {
    ll_span_ have = ll_span_of_columns_(q, 0, q->in.bits[0]);
    ll_span_ wanted = LL_ZERO;
    for (unsigned k = 0; k < have.n; ++k) {
        have.v[k] &= ~axis;
    }
    for (unsigned k = 0; k < a->in.bits[0]; ++k) {
        const unsigned y = a->basis[k];
        if (y == 0 || (y & ~axis)) { /* ll_reduce drops the rest */
            ll_span_push_(&wanted, y & ~axis);
            p->kept |= 1u << k;
        }
    }
    const ll_span_ terms = ll_span_terms_(&have, &wanted);
    p->to_bits = terms.n;
    for (unsigned k = 0; k < terms.n; ++k) {
        p->reg[k] = terms.v[k];
    }
}

/* Private: removes the bits of `gone` from p and closes the gaps. */
LL_FN unsigned ll_bits_close_(unsigned p, unsigned gone) {
    unsigned closed = 0;
    unsigned n = 0;
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        if (!(gone >> k & 1u)) {
            closed |= (p >> k & 1u) << n;
            ++n;
        }
    }
    return closed;
}

/* Private: returns the part of the axis in one block if it consists of whole
 * bits of the axis; otherwise the whole axis. */
LL_FN ll_span_ ll_axis_part_here_(const ll_layout *a, const ll_span_ *axis) {
    const ll_layout block = ll_in_block_(*a);
    const ll_span_ columns =
        ll_span_of_columns_(&block, 0, ll_shape_bits_(&block.in));
    const ll_span_ here = ll_span_intersect_(axis, &columns);
    return ll_popcount_(ll_span_or_(&here)) == here.n ? here : *axis;
}

/* Private: returns the plan that combines the part `here` of the axis. Sets
 * *left to the layout of its positions. */
LL_FN ll_reduce_plan ll_reduce_here_(const ll_layout *a, const ll_span_ *axis,
                                     const ll_span_ *here,
                                     unsigned element_bits,
                                     const ll_target *t, ll_layout *left) {
    ll_reduce_plan p = LL_ZERO;
    ll_span_ done = LL_ZERO;
    p.lanes = t->lanes;
    p.element_bits = ll_element_held_(element_bits);
    p.from_bits = a->in.bits[0];
    p.threads = ll_threads_of_(a);
    p.first = ll_tree_of_(a, here, &done);
    const ll_span_ rest = ll_span_independent_(&done, here);
    p.crosses = rest.n;
    p.first = ll_tree_split_(p.first, rest.n != 0, element_bits, t);
    p.cycles = (ll_tree_cost_(&p.first, element_bits, t) + 7u) / 8u;
    *left = ll_tree_cosets_(a, &p.first, &done);
    ll_reduce_results_(&p, a, left, ll_span_or_(axis));
    return rest.n ? ll_reduce_across_(p, left, here, &rest, t) : p;
}

/* Private: returns q with the axis moved out of the blocks: to warps that hold
 * copies, then to lanes that hold copies, then to new registers. */
LL_FN ll_layout ll_axis_fetched_(const ll_layout *q, unsigned axis) {
    unsigned rest = axis;
    const unsigned lanes = q->in.bits[1];
    const unsigned warps = q->in.bits[2];
    ll_layout b = *q;
    for (unsigned k = 0; k < ll_shape_bits_(&q->in); ++k) {
        b.basis[k] &= ~axis;
    }
    for (unsigned m = 0; m < lanes + warps; ++m) {
        const unsigned k =
            q->in.bits[0] + (m < warps ? lanes + m : m - warps);
        const unsigned bit = rest & (0u - rest);
        b.basis[k] |= b.basis[k] == 0 ? bit : 0u;
        rest ^= b.basis[k] == bit ? bit : 0u;
    }
    for (; rest; rest &= rest - 1u) {
        for (unsigned k = ll_shape_bits_(&b.in); k > b.in.bits[0]; --k) {
            b.basis[k] = b.basis[k - 1u];
        }
        b.basis[b.in.bits[0]] = rest & (0u - rest);
        ++b.in.bits[0];
    }
    return b;
}

/* Private: completes p, which combines the part `here` of the axis in a block,
 * by an exchange between the blocks of a cluster along the other bits. */
LL_FN ll_reduce_plan ll_reduce_reach_(ll_reduce_plan p, const ll_layout *q,
                                      unsigned at, unsigned here) {
    const unsigned start = ll_shape_start_(&q->out, at);
    ll_layout left = LL_ZERO;
    p.far = *q;
    p.far.offset = ll_bits_close_(q->offset, here);
    for (unsigned k = 0; k < ll_shape_bits_(&q->in); ++k) {
        p.far.basis[k] = ll_bits_close_(q->basis[k], here);
    }
    p.far.out.bits[at] =
        (unsigned short)(p.far.out.bits[at] - ll_popcount_(here));
    p.reaches = p.far.out.bits[at];
    const ll_span_ axis = ll_span_units_(start, start + p.reaches);
    p.near = ll_axis_fetched_(&p.far, ll_span_or_(&axis));
    const ll_plan far = ll_plan_of(p.far, p.near, p.element_bits, p.target);
    const ll_layout block = ll_in_block_(p.near);
    const ll_reduce_plan near = ll_reduce_here_(
        &block, &axis, &axis, p.element_bits, &p.target, &left);
    p.err = p.err ? p.err : far.err ? far.err : near.err;
    p.far_at = (p.smem_bytes + 15u) / 16u * 16u;
    p.near_at = p.far_at + (far.smem_bytes + 15u) / 16u * 16u;
    p.smem_bytes = p.near_at + near.smem_bytes;
    p.cycles += far.cycles + near.cycles;
    return p;
}

/* ll_reduce_of(a, d, element_bits, t): returns the plan that combines the
 * elements of layout a along axis d on target t. The result has the layout
 * ll_reduce(a, d). The operation must be associative and commutative, up to
 * rounding. Each element is combined once, however many copies it has. Operands
 * are elements or combinations of elements: no padding is added, so the sum of
 * -0.0 is -0.0. The operation alone decides how NaN is treated. The order of
 * two operands is not specified and differs between lanes, so all copies of a
 * result have the same bits only if op(x, y) and op(y, x) do. fmaxf(x, y) is
 * suitable; x > y ? x : y is not if there may be a NaN, or -0.0 beside 0.0.
 * (Paper, section 5.1, "Broadcasting".)
 *
 * If the axis is spread over the blocks of a cluster, and one access per lane
 * fetches its share of all partial results, p.between is of kind LL_CLUSTER.
 * Otherwise p.reaches is not 0: each block first combines its own part; warps
 * then share the fetch from others, and the block combines.
 *
 * p.err tells why there is no plan: LL_EMISSING (no such axis), LL_EHARDWARE,
 * LL_EELEMENT, LL_ELANES, LL_ETARGET, LL_EHELD (a does not hold all of the
 * axis: p.lacks names a bit), LL_EBLOCK (another block holds a part of it, and
 * the target has no clusters of that many blocks), LL_EBITS (the exchange
 * between warps takes 4 GiB, or places of more than 32 bits).
 * Example: ll_reduce_of(ll_rows(32, 32, 4), LL_J, 32, LL_SM90).first.lanes is
 *          3;
 * Example: ll_reduce_of(ll_rows(32, 32, 4), LL_I, 32, LL_SM90).crosses is 2;
 * Example: ll_reduce_of(ll_rows(32, 32, 4), LL_K, 32, LL_SM90).err is
 *          LL_EMISSING;
 * Example: ll_reduce_of(L("lane: j0 j1 j2 j3 j4 | block: j5 j6"), LL_J, 32,
 *                       LL_SM90).between.kind is LL_CLUSTER;
 * Example: ll_reduce_of(L("lane: j0 j1 j2 j3 j4 | warp: j5 j6 j7 | block: j8 "
 *                       "j9 j10"), LL_J, 128, LL_SM90).reaches is 3;
 */
LL_FN ll_reduce_plan ll_reduce_of(ll_layout a, ll_dim d, unsigned element_bits,
                                  ll_target t) {
    ll_reduce_plan p = LL_ZERO;
    ll_span_ axis = LL_ZERO;
    ll_layout left = LL_ZERO;
    a = ll_layout_reducible_(a, d, element_bits, &t, &axis);
    p.lacks = ll_lack_of_(&a);
    p.err = a.err;
    p.lanes = t.lanes;
    p.element_bits = ll_element_held_(element_bits);
    if (p.err) {
        return p;
    }
    ll_span_ here = axis;
    p = ll_reduce_here_(&a, &axis, &here, element_bits, &t, &left);
    if (p.crosses && p.between.blocks && p.between.step[3].count > 1u) {
        here = ll_axis_part_here_(&a, &axis);
        p = ll_reduce_here_(&a, &axis, &here, element_bits, &t, &left);
    }
    p.axis = d;
    p.target = t;
    return here.n < axis.n ? ll_reduce_reach_(p, &left, ll_axis_at_(&a.out, d),
                                              ll_span_or_(&here))
                           : p;
}

/* ---- plan/scan: Scans ------------------------------------------------- */

/* A scan keeps the order of the elements along the axis. Its cosets therefore
 * come from the lowest bits of the axis, with one more bit per level. At level
 * k each place has the total of the 2^k elements that differ from its own only
 * in the lowest k bits. The total of the sibling, the 2^k elements that differ
 * in bit k too, comes from registers of the same lane if possible, otherwise
 * from another lane. The levels are then walked back: the prefix of 2^k
 * elements is the prefix of the 2^(k+1) elements around them, followed by the
 * sibling's total if the sibling is the lower one. Levels end at the first bit
 * of the axis that a warp does not hold. For the bits from there on, warps
 * exchange totals, so that each lane has the totals of all its lines. */

/* Level k: where the sibling's total is. */
typedef struct ll_level {
    unsigned with; /* XORed to the position */
    unsigned lane; /* XORed to the lane number; 0: in the same lane */
    unsigned gone; /* bits of a position that are 0 from this level on */
} ll_level;

/* A plan for the scan of a layout along an axis. */
typedef struct ll_scan_plan {
    unsigned err;
    unsigned lanes;      /* of a warp */
    unsigned threads;    /* of a block */
    unsigned element_bits;
    unsigned from_bits;  /* log2 of the registers before */
    unsigned to_bits;    /* log2 of the registers after: as before */
    unsigned smem_bytes; /* of shared memory */
    unsigned cycles;     /* of a warp, estimated */
    unsigned turned;     /* 1: the scan is done in another layout */
    ll_plan there, back; /* if turned: conversions to that layout and back */
    unsigned bits;       /* log2 of the registers that are scanned */
    unsigned n;          /* log2 of the positions: registers without copies */
    unsigned reg[LL_MAX_BITS]; /* register of bit k of a position */
    unsigned x[LL_MAX_BITS];   /* its coordinate along the axis, to be XORed */
    unsigned line[LL_MAX_BITS]; /* line of bit k of a closed position */
    unsigned at[LL_MAX_BITS];  /* position of bit k of a register */
    ll_map thread;             /* thread number -> coordinate on the axis */
    unsigned axis;             /* log2 of the size of the axis */
    unsigned levels;           /* lowest bits of the axis, held by a warp */
    ll_level level[LL_MAX_BITS + 1];
    unsigned crosses;          /* the other bits: log2 of a line's totals */
    unsigned lines;            /* if it crosses: log2 of the lane's lines */
    ll_plan between;           /* if it crosses: brings the totals to a lane */
    ll_lack lacks;
} ll_scan_plan;

/* Private: undoes ll_bits_close_, with zeros for the bits of `gone`. */
LL_FN unsigned ll_bits_open_(unsigned closed, unsigned gone) {
    unsigned p = 0;
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        if (!(gone >> k & 1u)) {
            p |= (closed & 1u) << k;
            closed >>= 1;
        }
    }
    return p;
}

/* Private: returns a with the output bits of `mask` cleared. Its registers are
 * the positions of the scan without the bits of `gone`. */
LL_FN ll_layout ll_without_bits_(const ll_layout *a, const ll_scan_plan *s,
                                 unsigned gone, unsigned mask) {
    const unsigned regs = a->in.bits[0];
    ll_layout q = *a;
    unsigned n = 0;
    for (unsigned k = 0; k < s->n; ++k) {
        if (!(gone >> k & 1u)) {
            q.basis[n] = ll_layout_linear_(a, s->reg[k]) & ~mask;
            ++n;
        }
    }
    q.in.bits[0] = (unsigned short)n;
    for (unsigned k = regs; k < ll_shape_bits_(&a->in); ++k) {
        q.basis[n + k - regs] = a->basis[k] & ~mask;
    }
    q.offset &= ~mask;
    return q;
}

/* Private: adds one level, for the axis bit with the packed output `bit`, if a
 * warp holds it. Returns 0 if it does not. */
LL_FN int ll_scan_rise_(ll_scan_plan *s, const ll_layout *a, unsigned bit) {
    ll_level *l = &s->level[s->levels];
    const unsigned lower = bit - (bit >> s->levels);
    ll_echelon_ r = LL_ZERO;
    for (unsigned k = 0; k < s->n; ++k) {
        const int on = !(l->gone >> k & 1u);
        ll_echelon_load_(&r, on ? ll_layout_linear_(a, s->reg[k]) & ~lower : 0u,
                         1u << k);
    }
    for (unsigned k = 0; k < a->in.bits[1]; ++k) {
        ll_echelon_load_(&r, a->basis[a->in.bits[0] + k] & ~lower,
                         1u << (s->n + k));
    }
    ll_echelon_load_(&r, bit, 0);
    ll_echelon_eliminate_(&r, 0, r.n);
    if (ll_echelon_vector_(&r, r.n - 1u)) {
        return 0;
    }
    const unsigned d = ll_echelon_mix_(&r, r.n - 1u);
    l->with = d & ll_ones_(s->n);
    l->lane = d >> s->n;
    l[1].gone = l->gone | (l->lane ? 0u : l->with & (0u - l->with));
    ++s->levels;
    return 1;
}

#define LL_MAX_TOTALS_ 8u /* log2 of the totals that a lane may load */

/* Private: plans how lanes get lines' totals over bits from `levels` on. */
LL_FN void ll_scan_cross_(ll_scan_plan *s, const ll_layout *a, unsigned start,
                          const ll_target *t) {
    const ll_span_ none = LL_ZERO;
    const unsigned axis = ll_shift_(ll_ones_(s->axis), start);
    const unsigned lower = ll_shift_(ll_ones_(s->levels), start);
    const unsigned gone = s->level[s->levels].gone;
    const ll_layout q = ll_without_bits_(a, s, gone, lower);
    const ll_layout z = ll_without_bits_(a, s, gone, axis);
    const unsigned n = z.in.bits[0];
    const ll_span_ images = ll_span_of_columns_(&z, 0, n);
    const ll_span_ lines = ll_span_independent_(&none, &images);
    const ll_span_ line = ll_span_terms_(&lines, &images);
    ll_layout b = z;
    s->lines = lines.n;
    if (lines.n + s->crosses > LL_MAX_TOTALS_) {
        s->err = LL_EBITS;
        return;
    }
    b.in.bits[0] = (unsigned short)(lines.n + s->crosses);
    for (unsigned k = 0; k < b.in.bits[0]; ++k) {
        b.basis[k] = k < lines.n ? lines.v[k]
                                 : 1u << (start + s->levels + k - lines.n);
    }
    for (unsigned k = n; k < ll_shape_bits_(&z.in); ++k) {
        b.basis[b.in.bits[0] + k - n] = z.basis[k];
    }
    for (unsigned k = 0; k < n; ++k) {
        s->line[k] = line.v[k];
    }
    s->between = ll_plan_of(q, b, s->element_bits, *t);
    s->err = s->between.err;
    s->smem_bytes = s->between.smem_bytes;
}

/* Private: returns the cycles of a scan; operations and selects are logic. */
LL_FN unsigned ll_scan_cycles_(const ll_scan_plan *s, const ll_target *t) {
    unsigned shuffles = 0;
    unsigned logic = 1u << s->n;
    for (unsigned k = 0; k < s->levels; ++k) {
        const ll_level *l = &s->level[k];
        const unsigned here = 1u << (s->n - ll_popcount_(l->gone));
        const unsigned above = 1u << (s->n - ll_popcount_(l[1].gone));
        shuffles += l->lane ? here * ll_element_words_(s->element_bits) : 0u;
        logic += (l->lane ? 3u : 1u) * (here + above);
    }
    const unsigned last = s->n - ll_popcount_(s->level[s->levels].gone);
    logic += s->crosses ? (1u << s->crosses) * ((1u << s->lines) + (1u << last))
                        : 0u;
    return s->between.cycles + (shuffles * t->cost[LL_COST_SHUFFLE] +
                                logic * t->cost[LL_COST_LOGIC] + 7u) / 8u;
}

/* Private: finds positions, their coordinates, and registers' positions. */
LL_FN void ll_scan_positions_(ll_scan_plan *s, const ll_layout *a,
                              unsigned start) {
    const ll_span_ none = LL_ZERO;
    const ll_span_ units = ll_span_units_(0, a->in.bits[0]);
    const ll_span_ images = ll_span_images_(a, &units);
    const ll_span_ reg = ll_span_fresh_(&none, &units, &images);
    const ll_span_ kept = ll_span_images_(a, &reg);
    const ll_span_ at = ll_span_terms_(&kept, &images);
    ll_layout thread = ll_thread_places_(a, a->offset, 0);
    for (unsigned k = 0; k < reg.n; ++k) {
        s->reg[k] = reg.v[k];
        s->x[k] = ll_shift_down_(kept.v[k], start) & ll_ones_(s->axis);
    }
    for (unsigned k = 0; k < at.n; ++k) {
        s->at[k] = at.v[k];
    }
    for (unsigned k = 0; k < ll_shape_bits_(&thread.in); ++k) {
        thread.basis[k] =
            ll_shift_down_(thread.basis[k], start) & ll_ones_(s->axis);
    }
    thread.offset = ll_shift_down_(thread.offset, start) & ll_ones_(s->axis);
    s->thread = ll_map_of(thread);
    s->n = reg.n;
}

/* Private: returns the scan in a itself, along bits from `start` on. */
LL_FN ll_scan_plan ll_scan_plan_here_(const ll_layout *a, const ll_span_ *axis,
                                      unsigned start, unsigned element_bits,
                                      const ll_target *t) {
    ll_scan_plan s = LL_ZERO;
    s.lanes = t->lanes;
    s.threads = ll_threads_of_(a);
    s.element_bits = ll_element_held_(element_bits);
    s.from_bits = s.to_bits = s.bits = a->in.bits[0];
    s.axis = axis->n;
    ll_scan_positions_(&s, a, start);
    while (s.levels < s.axis && ll_scan_rise_(&s, a, axis->v[s.levels])) {
    }
    s.crosses = s.axis - s.levels;
    if (s.crosses) {
        ll_scan_cross_(&s, a, start, t);
    }
    s.cycles = ll_scan_cycles_(&s, t);
    return s;
}

/* Private: returns a layout of the same elements with the axis first: in
 * registers, then in lanes, then in warps. */
LL_FN ll_layout ll_axis_first_(const ll_layout *a, const ll_span_ *axis,
                               unsigned regs) {
    const unsigned mask = ll_span_or_(axis);
    ll_span_ rest = ll_span_of_columns_(a, 0, ll_shape_bits_(&a->in));
    ll_span_ all = *axis;
    ll_layout c = *a;
    for (unsigned k = 0; k < rest.n; ++k) {
        rest.v[k] &= ~mask;
    }
    ll_span_append_(&all, &rest, LL_MAX_BITS);
    c.in.bits[0] = (unsigned short)regs;
    c.offset &= ~mask;
    for (unsigned k = 0; k < ll_shape_bits_(&c.in); ++k) {
        c.basis[k] = k < all.n ? all.v[k] : 0u;
    }
    return c;
}

/* Private: returns the plan that scans in another layout and converts back. */
LL_FN ll_scan_plan ll_scan_turned_(const ll_layout *a, const ll_span_ *axis,
                                   unsigned start, const ll_scan_plan *here,
                                   const ll_target *t) {
    const ll_layout c = ll_axis_first_(a, axis, here->n);
    ll_scan_plan s = ll_scan_plan_here_(&c, axis, start, here->element_bits, t);
    s.turned = 1;
    s.there = ll_plan_of(*a, c, s.element_bits, *t);
    s.back = ll_plan_of(c, *a, s.element_bits, *t);
    s.from_bits = s.to_bits = a->in.bits[0];
    s.cycles += s.there.cycles + s.back.cycles;
    s.err = s.err ? s.err : s.there.err ? s.there.err : s.back.err;
    const unsigned most = s.there.smem_bytes > s.back.smem_bytes
                              ? s.there.smem_bytes
                              : s.back.smem_bytes;
    s.smem_bytes = most > s.smem_bytes ? most : s.smem_bytes;
    return s;
}

/* ll_scan_of(a, d, element_bits, t): returns the plan that combines each
 * element of layout a with all elements before it along axis d on target t. The
 * result has layout a. The operation must be associative, up to rounding. The
 * order is kept, and all copies have the same bits. As in a reduction, no
 * padding is added, and the operation alone decides how NaN and -0.0 are
 * treated. If a holds the lower bits of the axis in registers and lanes, in any
 * order, and the upper bits in warps, one total per warp and line goes through
 * shared memory. Otherwise the plan may convert all elements to such a layout
 * and back, if that is cheaper. Fails as ll_reduce_of does, and also with
 * LL_EBLOCK if the coordinate along the axis depends on the block.
 * Example: ll_scan_of(ll_rows(32, 32, 4), LL_J, 32, LL_SM90).levels is 5;
 * Example: ll_scan_of(ll_rows(32, 32, 4), LL_I, 32, LL_SM90).turned is 1;
 * Example: ll_scan_of(L("register: i0^i1 | lane: i0 i2 i3 i4 i5"), LL_I, 32,
 *                     LL_SM90).level[1].lane is 0;
 */
LL_FN ll_scan_plan ll_scan_of(ll_layout a, ll_dim d, unsigned element_bits,
                              ll_target t) {
    ll_scan_plan s = LL_ZERO;
    ll_span_ axis = LL_ZERO;
    ll_span_ done = LL_ZERO;
    a = ll_layout_scannable_(a, d, element_bits, &t, &axis);
    s.err = a.err;
    s.lacks = ll_lack_of_(&a);
    if (s.err) {
        return s;
    }
    const unsigned start = ll_shape_start_(&a.out, ll_axis_at_(&a.out, d));
    ll_tree_of_(&a, &axis, &done);
    s = ll_scan_plan_here_(&a, &axis, start, element_bits, &t);
    if (s.err == LL_EBITS || s.crosses > axis.n - done.n) {
        const ll_scan_plan u = ll_scan_turned_(&a, &axis, start, &s, &t);
        s = s.err || u.cycles < s.cycles ? u : s;
    }
    return s;
}

/* ---- plan/gather: Gathers --------------------------------------------- */

/* A gather along j computes out[i, j] = src[i, index[i, j]]; a gather along i
 * computes src[index[i, j], j]. The place of the wanted element in the source
 * is a linear map of the register, lane and warp of the index, without the
 * axis, and of the bits of the index. The planner therefore solves for the bits
 * of an index as if they were further register bits. The place is the XOR of
 * three parts: of the thread, of the register (a literal), and of the index. It
 * is a register (position) and a lane, or an address. */
typedef struct ll_gather_plan {
    unsigned err;
    unsigned lanes;        /* of a warp */
    unsigned threads;      /* of a block */
    unsigned kind;         /* LL_REGISTERS, LL_SHUFFLES or LL_SHARED */
    unsigned element_bits; /* of one element */
    unsigned from_bits;    /* log2 of the registers of the source */
    unsigned to_bits;      /* log2 of the registers of index and result */
    unsigned axis_bits;    /* lowest bits of an index that are used */
    unsigned smem_bytes;   /* of shared memory */
    unsigned cycles;       /* of a warp, estimated, for random indices */
    unsigned next_kind;    /* of the best plan of another kind, or .kind */
    unsigned next_cycles;  /* and its cycles */
    unsigned choice;       /* log2 of the positions an index selects from */
    unsigned logic;        /* selects, permutes and index arithmetic */
    unsigned n;            /* steps of the source, before the fetch */
    ll_step step[4];       /* RENAME; with memory also SELECT, STORE, SYNC */
    ll_step turn;          /* selects indices before the fetch, results after */
    ll_step fetch;         /* places: bytes, or position and lane above it */
    ll_map value;          /* index -> its part of the place */
    ll_layout memory;      /* offset -> tensor, where memory is used */
    ll_lack lacks;
} ll_gather_plan;

/* Private: returns the elements of a that b asks for along axis d, over the
 * inputs of b, with the bits of an index above its registers. */
LL_FN ll_layout ll_gather_asked_(const ll_layout *a, const ll_layout *b,
                                 unsigned d) {
    const unsigned from = ll_shape_find_(&b->out, a->out.dim[d]);
    const unsigned n = b->in.bits[0];
    const unsigned axis = a->out.bits[d];
    ll_shape in = b->in;
    ll_shape out = b->out;
    in.bits[0] = (unsigned short)(in.bits[0] + axis);
    if (from < out.n) {
        out.bits[from] = (unsigned short)axis;
    }
    if (!ll_shape_fits_both_(&out, &a->out)) {
        return ll_layout_none_(LL_EMATCH);
    }
    if (ll_shape_start_(&in, in.n) > LL_MAX_BITS) {
        return ll_layout_none_(LL_EBITS);
    }
    const unsigned along = ll_shift_(ll_ones_(b->out.bits[from]),
                                   ll_shape_start_(&b->out, from));
    ll_layout g = ll_zero(in, a->out);
    for (unsigned k = 0; k < ll_shape_bits_(&b->in); ++k) {
        g.basis[k < n ? k : k + axis] =
            ll_shape_repack_(b->basis[k] & ~along, &b->out, &a->out);
    }
    for (unsigned k = 0; k < axis; ++k) {
        g.basis[n + k] = 1u << (ll_shape_start_(&a->out, d) + k);
    }
    g.offset = ll_shape_repack_(b->offset & ~along, &b->out, &a->out);
    return g;
}

/* Private: returns half of `count`, for work on indices alone, which several
 * gathers may share. */
LL_FN unsigned ll_reused_(unsigned count) { return count / 2u; }

/* Private: splits the places y into the parts of thread, register and index.
 * Each term of the index's map takes a shift, unless its distance is 0, and one
 * instruction that masks and XORs. */
LL_FN void ll_gather_parts_of_(ll_gather_plan *p, const ll_layout *y) {
    const ll_shape none = LL_ZERO;
    ll_step *s = &p->fetch;
    const ll_shape in = ll_shape_add_(none, LL_REGISTER, p->axis_bits);
    ll_layout value = ll_zero(in, y->out);
    const ll_layout thread = ll_thread_places_(y, y->offset, 0);
    s->bits = s->at.n = p->to_bits;
    for (unsigned k = 0; k < p->to_bits; ++k) {
        s->at.reg[k] = 1u << k;
        s->at.place[k] = y->basis[k];
    }
    for (unsigned k = 0; k < p->axis_bits; ++k) {
        value.basis[k] = y->basis[p->to_bits + k];
    }
    s->touched = ll_columns_beyond_(&thread, 0) | thread.offset |
                 ll_columns_beyond_(&value, 0);
    s->thread = ll_map_of(thread);
    p->value = ll_map_of(value);
    for (unsigned k = 0; k < p->value.n; ++k) {
        p->logic += ll_reused_((p->value.shift[k] ? 2u : 1u) << p->to_bits);
    }
}

/* Private: returns a basis of the source's registers. Index and thread select
 * among the 2^*choice registers that its first *choice vectors span. */
LL_FN ll_span_ ll_chosen_(const ll_layout *x, unsigned to_bits,
                          unsigned *choice) {
    const ll_span_ units = ll_span_units_(0, x->out.bits[0]);
    ll_span_ moved = LL_ZERO;
    ll_span_ fixed = LL_ZERO;
    for (unsigned k = 0; k < ll_shape_bits_(&x->in); ++k) {
        ll_span_push_(k < to_bits ? &fixed : &moved,
                      ll_place_register_(x, x->basis[k]));
    }
    ll_span_ all = ll_span_intersect_(&units, &moved);
    *choice = all.n;
    ll_span_append_(&moved, &fixed, LL_MAX_BITS);
    const ll_span_ rest = ll_span_intersect_(&units, &moved);
    ll_span_append_(&all, &rest, LL_MAX_BITS);
    return all;
}

/* Private: returns the estimated cycles, as ll_plan_cycles_ does, but with less
 * weight on index arithmetic, which several gathers often share. A gather
 * within a warp keeps source, indices and result live, and over LL_MANY_WORDS_
 * words slow it down. (Both measured: bench/device/gather.cu.) */
#define LL_MANY_WORDS_ 128u
LL_FN unsigned ll_gather_cycles_(const ll_gather_plan *p, unsigned pipe,
                                 unsigned wait, const ll_target *t) {
    const unsigned pack = ll_elements_per_word_(p->element_bits);
    const unsigned logic = p->logic * t->cost[LL_COST_LOGIC] * 4u / 5u;
    const unsigned words =
        ll_word_count_(p->from_bits, pack, p->element_bits) +
        ll_word_count_(p->to_bits, pack, p->element_bits) + (1u << p->to_bits);
    const unsigned cycles = ((pipe > logic ? pipe : logic) + wait + 7u) / 8u;
    return p->kind != LL_SHARED && words > LL_MANY_WORDS_
               ? cycles * words / LL_MANY_WORDS_
               : cycles;
}

/* Private: returns a gather that stays in its warp. The index names a lane, and
 * each word of it that may hold the element is fetched. The index then selects
 * the word, and the element within the word. A shuffle from a lane named by an
 * index costs a 32nd more: 64 and 128 shuffles took 66.2 and 131.9 cycles. */
LL_FN ll_gather_plan ll_gather_in_warp_(ll_gather_plan p, const ll_layout *x,
                                        const ll_target *t) {
    const ll_span_ from = ll_chosen_(x, p.to_bits, &p.choice);
    const unsigned pack = ll_elements_per_word_(p.element_bits);
    const unsigned parts = ll_element_words_(p.element_bits);
    ll_span_ regs = LL_ZERO;
    ll_layout y = *x;
    for (unsigned k = 0; k < ll_shape_bits_(&x->in); ++k) {
        ll_span_push_(&regs, ll_place_register_(x, x->basis[k]));
    }
    const ll_span_ terms = ll_span_terms_(&from, &regs);
    for (unsigned k = 0; k < terms.n; ++k) {
        y.basis[k] = terms.v[k] | ll_place_lane_(x, x->basis[k]) << from.n;
    }
    y.offset = ll_place_lane_(x, x->offset) << from.n;
    ll_gather_parts_of_(&p, &y);
    p.n = 1;
    p.step[0] =
        ll_step_renaming_(&from, ll_place_register_(x, x->offset), pack);
    p.step[0].count = ll_permutes_(&p.step[0].at, p.element_bits,
                                   pack < p.from_bits ? pack : p.from_bits,
                                   p.step[0].pack);
    const unsigned words = p.choice > pack ? 1u << (p.choice - pack) : 1u;
    p.kind = ll_output_stays_(x, 1) ? LL_REGISTERS : LL_SHUFFLES;
    p.fetch.op = p.kind == LL_SHUFFLES ? LL_OP_SHUFFLE : LL_OP_SELECT;
    p.fetch.pack = p.step[0].pack;
    p.fetch.count = (p.kind == LL_SHUFFLES ? words : words - 1u) * parts
                    << p.to_bits;
    p.logic += (((words - 1u) * parts + (pack ? 1u : 0u)) << p.to_bits) +
               p.step[0].count;
    const unsigned pipe = p.fetch.count * t->cost[LL_COST_SHUFFLE];
    p.cycles = ll_gather_cycles_(
        &p, p.kind == LL_SHUFFLES ? pipe + pipe / 32u : 0u, 0, t);
    return p;
}

/* Private: returns the probability, in units of 2^-16, that one of 2^banks
 * banks gets more than m of n requests, if `count` banks do on average. It is 1
 * if there are more than m requests per bank. If two banks cannot, it is the
 * average N; otherwise it is about N (1 + N) / (1 + N + N^2). */
LL_FN unsigned long long ll_one_bank_(unsigned n, unsigned m, unsigned banks,
                                      unsigned long long count) {
    const unsigned long long one = 1ull << 16;
    const unsigned long long up = count * (one + count) / one;
    return m << banks < n      ? one
           : 2u * (m + 1u) > n ? (count < one ? count : one)
                               : up * one / (up + one);
}

/* Private: returns the expected number of requests, in eighths, to the busiest
 * bank. In each of 2^groups groups, n requests go to its 2^banks banks at
 * random; a bank has `most` different words. More than m requests to a bank are
 * a binomial tail, in units of 2^-50. Groups are independent. */
LL_FN unsigned ll_bank_busiest_(unsigned groups, unsigned n, unsigned banks,
                                unsigned most) {
    const unsigned limit = n < most ? n : most;
    const unsigned long long one = 1ull << 16;
    unsigned long long exact = 1ull << 50;
    unsigned long long sum = one; /* probabilities of more than 0, 1, .. */
    if (banks == 0) {
        return 8u * limit;
    }
    for (unsigned k = 0; k < n; ++k) {
        exact -= exact >> banks;
    }
    unsigned long long more = (1ull << 50) - exact;
    for (unsigned m = 1; m < limit; ++m) {
        exact = exact * (n - m + 1u) / m / ((1ull << banks) - 1u);
        more -= exact < more ? exact : more;
        unsigned long long none =
            one - ll_one_bank_(n, m, banks, more << banks >> 34);
        for (unsigned k = 0; k < groups; ++k) {
            none = none * none / one;
        }
        sum += one - none;
    }
    return (unsigned)(8u * sum / one);
}

/* Private: returns the wavefronts, in eighths, of a warp that reads one element
 * per lane, for random bits of the index. x maps registers, with the index
 * above them, and lanes to offsets. */
LL_FN unsigned ll_random_waves_(const ll_layout *x, unsigned to_bits,
                                unsigned scale, const ll_target *t) {
    const unsigned last = t->banks[LL_READ][ll_access_width_(1u << scale)] - 1u;
    ll_target apart = *t;
    apart.merge = 0; /* equal lanes may have different indices */
    unsigned lane[6] = LL_ZERO;
    ll_echelon_ words = LL_ZERO;
    ll_echelon_ banks = LL_ZERO;
    ll_lane_bytes_(x, scale, lane);
    const ll_phase_ p = ll_phase_of_(lane, 1u << scale, LL_READ, &apart);
    for (unsigned k = to_bits; k < x->in.bits[0]; ++k) {
        const unsigned word = ll_shift_(x->basis[k], scale) / t->bank_bytes;
        ll_echelon_load_(&words, word, 0);
        ll_echelon_load_(&banks, word & last, 0);
    }
    ll_echelon_ random = banks;
    for (unsigned k = 0; k < p.n; ++k) {
        const unsigned word =
            ll_lane_address_(lane, p.number[k]) / t->bank_bytes;
        ll_echelon_load_(&words, word, 0);
        ll_echelon_load_(&banks, word & last, 0);
    }
    const unsigned some = ll_echelon_rank_(&random);
    const unsigned groups = ll_echelon_rank_(&banks) - some;
    const unsigned deep = ll_echelon_rank_(&words) - ll_echelon_rank_(&banks);
    return (t->lanes >> p.n) *
           ll_bank_busiest_(groups, 1u << (p.n - groups), some,
                            deep < 16u ? 1u << deep : 1u << 16);
}

/* Private: the order in which lanes take the registers of the index. Lanes that
 * request one row of the tensor hit the same few banks. If each lane XORs the
 * order of its rows with its number, the rows that lanes read at one time can
 * lie in different banks. The lanes of the source then store in different
 * orders too. Both lists give, per thread bit, the XOR to a register number: of
 * the source in `from`, of the index in `to`. */
typedef struct ll_skew_ {
    ll_span_ from;
    ll_span_ to;
} ll_skew_;

/* Private: gives one more lane bit an order of its own. The lane bit must not
 * affect the request, apart from the index. Source a and request g are sheared,
 * so that they describe what lanes access at one time. Returns 0 if there is no
 * such lane bit, or no register for it. */
LL_FN int ll_skew_more_(ll_skew_ *s, ll_layout *a, ll_layout *g,
                        unsigned to_bits) {
    const unsigned lane_a = a->in.bits[0];
    const unsigned lane_g = g->in.bits[0];
    const ll_span_ regs = ll_span_of_columns_(a, 0, lane_a);
    const ll_span_ lanes =
        ll_span_of_columns_(g, lane_g, lane_g + g->in.bits[1]);
    for (unsigned t = 0; t < lanes.n; ++t) {
        for (unsigned k = 0; lanes.v[t] == 0 && k < to_bits; ++k) {
            ll_span_ row = LL_ZERO;
            ll_span_push_(&row, g->basis[k]);
            if (!ll_in_span_(&row, &lanes) && ll_in_span_(&row, &regs)) {
                s->to.v[t] = 1u << k;
                s->from.v[t] = ll_span_terms_(&regs, &row).v[0];
                a->basis[lane_a + t] ^= row.v[0];
                g->basis[lane_g + t] = row.v[0];
                return 1;
            }
        }
    }
    return 0;
}

/* Private: sorts columns from..to-1, so that index bits shift together. */
LL_FN void ll_columns_sort_(ll_layout *m, unsigned from, unsigned to) {
    for (unsigned k = from; k < to; ++k) {
        for (unsigned l = k; l > from && m->basis[l] < m->basis[l - 1u]; --l) {
            const unsigned y = m->basis[l];
            m->basis[l] = m->basis[l - 1u];
            m->basis[l - 1u] = y;
        }
    }
}

/* Private: returns memory for a gather from a to g. The first 2^vector
 * different elements of a lane are contiguous. If data stays in its warp
 * (`own`), each warp has its own part of the memory. */
LL_FN ll_layout ll_gather_memory_(ll_layout a, ll_layout g, int own,
                                  unsigned vector, unsigned scale,
                                  const ll_target *t) {
    const ll_span_ none = LL_ZERO;
    const ll_span_ regs = ll_span_of_columns_(&a, 0, a.in.bits[0]);
    const unsigned end = ll_shape_bits_(&a.in);
    ll_span_ low = ll_span_independent_(&none, &regs);
    low.n = low.n < vector ? low.n : vector;
    if (own) {
        a.in.n = g.in.n = 2;
    }
    const ll_span_ warps = ll_span_of_columns_(&a, ll_shape_bits_(&a.in), end);
    ll_layout m = ll_memory_arrange_(&a, &g, &low, ll_way_of_vectors_(low.n),
                                     ll_way_of_vectors_(0), scale, t);
    const unsigned n = m.in.bits[0];
    const unsigned high = n - ll_banks_above_(n, scale, LL_READ, scale, t);
    const unsigned word = ll_elements_per_word_(8u << scale);
    ll_columns_sort_(&m, low.n > word ? low.n : word, high);
    ll_columns_sort_(&m, high, n);
    for (unsigned k = 0; k < warps.n; ++k) {
        m.basis[m.in.bits[0]] = warps.v[k];
        ++m.in.bits[0];
    }
    return m;
}

/* Private: adds the steps that store the source in memory. Returns 0 if the
 * skew splits a word or stores one twice. */
LL_FN int ll_gather_store_steps_(ll_gather_plan *p, const ll_layout *a,
                                 const ll_skew_ *skew, unsigned scale,
                                 const ll_target *t) {
    const unsigned bits = p->element_bits;
    const unsigned pack = ll_elements_per_word_(bits);
    const ll_layout x = ll_solve(p->memory, *a, LL_FIRST);
    const ll_step store = ll_step_by_vectors_(&x, scale, LL_WRITE, t);
    ll_span_ regs = LL_ZERO;
    for (unsigned k = 0; k < store.at.n; ++k) {
        ll_span_push_(&regs, store.at.reg[k]);
    }
    const ll_span_ by = ll_span_terms_(&regs, &skew->from);
    const int on = ll_span_or_(&skew->from) != 0;
    p->step[0] = ll_step_forth_(&store.at, store.pack);
    p->step[0].count = ll_permutes_(&store.at, bits,
                                    pack < p->from_bits ? pack : p->from_bits,
                                    store.pack);
    p->n = 1;
    if (on) {
        p->step[1] = ll_step_selects_(&by, store.at.n, store.pack, bits);
        p->n = 2;
    }
    p->step[p->n] = ll_step_addressed_(store, a, &p->memory, scale, t);
    ++p->n;
    return !on || (store.at.copies == 0 &&
                   (ll_span_or_(&by) & ll_ones_(store.pack)) == 0);
}

/* Private: returns the layout with its outputs multiplied by 2^scale. */
LL_FN ll_layout ll_layout_scaled_(ll_layout x, unsigned scale) {
    for (unsigned k = 0; k < ll_shape_bits_(&x.in); ++k) {
        x.basis[k] = ll_shift_(x.basis[k], scale);
    }
    x.offset = ll_shift_(x.offset, scale);
    return x;
}

/* Private: returns a gather through memory, stored by 2^vector elements. */
LL_FN ll_gather_plan ll_gather_through_(ll_gather_plan p, const ll_layout *a,
                                        const ll_layout *g,
                                        const ll_skew_ *skew, int own,
                                        unsigned vector, const ll_target *t) {
    const unsigned scale = ll_element_scale_(p.element_bits);
    p.kind = LL_SHARED;
    p.memory = ll_gather_memory_(*a, *g, own, vector, scale, t);
    if (p.memory.in.bits[0] + scale >= 32u ||
        !ll_gather_store_steps_(&p, a, skew, scale, t)) {
        p.err = p.memory.in.bits[0] + scale >= 32u ? LL_EBITS : LL_EKIND;
        return p;
    }
    p.smem_bytes = 1u << (p.memory.in.bits[0] + scale);
    const ll_layout x = ll_solve(p.memory, *g, LL_FIRST);
    const unsigned waves = ll_random_waves_(&x, p.to_bits, scale, t);
    const ll_layout y = ll_layout_scaled_(x, scale);
    ll_gather_parts_of_(&p, &y);
    p.turn = ll_step_selects_(&skew->to, p.to_bits, 0, 32);
    p.fetch.op = LL_OP_LOAD;
    p.fetch.count = 1u << p.to_bits;
    p.fetch.bytes = 1u << scale;
    p.fetch.wavefronts = (waves + 4u) / 8u;
    const ll_step *store = &p.step[p.n - 1u];
    p.step[p.n].op = own ? LL_OP_SYNC_WARP : LL_OP_SYNC_BLOCK;
    const unsigned turns = ll_reused_(p.turn.count) +
                           p.turn.count * ll_element_words_(p.element_bits);
    const unsigned before = p.step[0].count + (p.n > 2u ? p.step[1].count : 0u);
    ++p.n;
    p.logic += turns + before;
    p.cycles = ll_gather_cycles_(
        &p,
        (store->count * store->wavefronts + p.fetch.count * waves / 8u) *
            t->cost[LL_COST_MEMORY],
        t->cost[own ? LL_COST_WARP : LL_COST_BLOCK], t);
    return p;
}

/* The most words per lane for a skew, half of the registers of a thread: with
 * more words, register spills would cost more than the skew saves. */
#define LL_MAX_SKEWED_ 128u

/* Private: returns the cheapest gather through memory. It tries stores of one
 * word and the widest, and skews lane bits while that helps. */
LL_FN ll_gather_plan ll_gather_shared_(ll_gather_plan p, ll_layout a,
                                       ll_layout g, const ll_layout *x,
                                       const ll_target *t) {
    const unsigned pack = ll_elements_per_word_(p.element_bits);
    const unsigned most =
        ll_widest_access_(ll_element_scale_(p.element_bits), t);
    ll_gather_plan best = p;
    a = ll_in_block_(a);
    g = ll_in_block_(g);
    const int own = ll_output_stays_(x, 2) && ll_spare_threads_(&a) < t->lanes;
    ll_skew_ skew = LL_ZERO; /* 0 for each thread bit: no order changes */
    skew.from.n = skew.to.n = ll_shape_bits_(&g.in) - g.in.bits[0];
    const unsigned bits = p.from_bits > p.to_bits ? p.from_bits : p.to_bits;
    const int few = ll_word_count_(bits, 0, p.element_bits) <= LL_MAX_SKEWED_;
    int more = 1;
    best.err = LL_EKIND;
    while (more) {
        const unsigned before = best.cycles;
        for (unsigned v = pack; v <= most; v += most > v ? most - v : 1u) {
            const ll_gather_plan q =
                ll_gather_through_(p, &a, &g, &skew, own, v, t);
            if (!ll_plan_is_cheaper_(best.err, best.cycles, q.err, q.cycles)) {
                best = q;
            }
        }
        more = best.cycles != before && few &&
               ll_skew_more_(&skew, &a, &g, p.to_bits);
    }
    return best;
}

/* Private: returns the cheaper of two gathers; the other is its runner-up. */
LL_FN ll_gather_plan ll_cheaper_gather_(const ll_gather_plan *a,
                                        const ll_gather_plan *b) {
    const int first = ll_plan_is_cheaper_(a->err, a->cycles, b->err, b->cycles);
    ll_gather_plan p = first ? *a : *b;
    const ll_gather_plan *other = first ? b : a;
    p.next_kind = other->err ? p.kind : other->kind;
    p.next_cycles = other->err ? 0u : other->cycles;
    return p;
}

/* Private: returns the cheapest gather of this kind, or of LL_ANY. */
LL_FN ll_gather_plan ll_gather_(ll_layout a, ll_layout b, ll_dim d,
                                unsigned element_bits, ll_target t,
                                unsigned kind) {
    ll_gather_plan p = LL_ZERO;
    a = ll_hardware_(a);
    b = ll_with_warps_(ll_hardware_(b), &a);
    a = ll_with_warps_(a, &b);
    p.err = a.err ? a.err : b.err;
    const unsigned axis = ll_axis_at_(&a.out, d);
    p.err = !p.err && axis >= a.out.n ? (unsigned)LL_EMISSING : p.err;
    p.err = !p.err && kind > LL_ANY ? (unsigned)LL_ENOKIND : p.err;
    if (p.err) {
        return p;
    }
    p.lanes = t.lanes;
    p.threads = ll_threads_of_(&a);
    const ll_layout g = ll_gather_asked_(&a, &b, axis);
    ll_layout x = ll_places_map_(&a, &g, element_bits, &t, LL_LOCAL);
    p.err = x.err || ll_is_trivial(x, "block") ? x.err : (unsigned)LL_EBLOCK;
    if (p.err) {
        a = p.err == LL_ENOSOLUTION ? ll_layout_holding_(a, axis) : a;
        p.lacks = ll_lack_of_(&a);
        p.err = a.err ? a.err : p.err;
        return p;
    }
    p.element_bits = ll_element_held_(element_bits);
    p.from_bits = a.in.bits[0];
    p.to_bits = b.in.bits[0];
    p.axis_bits = a.out.bits[axis];
    ll_gather_plan warp = p;
    ll_gather_plan memory = p;
    warp.err = memory.err = LL_EKIND;
    if (kind != LL_SHARED && ll_output_stays_(&x, 2)) {
        warp = ll_gather_in_warp_(p, &x, &t);
        warp.err = kind != LL_ANY && kind != warp.kind ? LL_EKIND : LL_OK;
    }
    if (kind == LL_SHARED || kind == LL_ANY) {
        memory = ll_gather_shared_(p, a, g, &x, &t);
    }
    return ll_cheaper_gather_(&warp, &memory);
}

/* ll_gather_of(a, b, d, element_bits, t): returns the plan that gathers
 * elements of a source of layout a along axis d by indices of layout b, at the
 * least cost for random indices: within each lane, by shuffles within each
 * warp, or through shared memory. The result has layout b as well: out[i, j] =
 * src[i, index[i, j]] for LL_J, src[index[i, j], j] for LL_I. Both tensors have
 * the same axes and, except for axis d, the same sizes. Only the lowest
 * p.axis_bits bits of an index are used, so an index out of range fetches some
 * element but never reads out of bounds. (Paper, section 5.5, "Optimized
 * Codegen for Gather"; there an axis within a warp is always shuffled.)
 *
 * ll_gather_by(.., kind): returns the plan of exactly that kind.
 *
 * p.err tells why there is no plan: LL_EMISSING (no such axis), LL_EHARDWARE,
 * LL_EMATCH, LL_EHELD (a does not hold all of the axis: p.lacks names a bit),
 * LL_ENOSOLUTION, LL_EELEMENT, LL_ELANES, LL_EBLOCK, LL_EKIND, LL_ENOKIND.
 * Example: ll_gather_of(L("register: j0 j1 | lane: i0 i1 i2 i3 i4"),
 *          L("register: j0 j1 | lane: i0 i1 i2 i3 i4"), LL_J, 8, LL_SM90)
 *          .kind is LL_REGISTERS;
 * Example: ll_gather_of(L("lane: j0 j1 j2 j3 j4"), L("lane: j0 j1 j2 j3 j4"),
 *          LL_J, 32, LL_SM90).kind is LL_SHUFFLES;
 */
LL_FN ll_gather_plan ll_gather_of(ll_layout a, ll_layout b, ll_dim d,
                                  unsigned element_bits, ll_target t) {
    return ll_gather_(a, b, d, element_bits, t, LL_ANY);
}

LL_FN ll_gather_plan ll_gather_by(ll_layout a, ll_layout b, ll_dim d,
                                  unsigned element_bits, ll_target t,
                                  unsigned kind) {
    return ll_gather_(a, b, d, element_bits, t, kind);
}

/* ---- kernel/constants: Constants for kernels -------------------------- */

/* Constants for kernels. Each of these macros declares the constant NAME, which
 * the compiler computes:
 *
 *     LL_LAYOUT(NAME, expression)  a layout
 *     LL_PLAN(NAME, FROM, TO, element_bits, target)  ll_plan_of of two layouts;
 *                           TO may hold only a part of FROM's tensor
 *     LL_PLAN_BY(.., kind)  ll_plan_by
 *     LL_PLAN_WITHIN(.., bytes)  ll_plan_within
 *     LL_PLAN_THROUGH(.., memory)  ll_plan_through; memory is a value, such
 *                           as LL_GET(PLAN).memory of another plan
 *     LL_REDUCE_PLAN(NAME, LAYOUT, axis, element_bits, target)  ll_reduce_of
 *     LL_SCAN_PLAN(NAME, LAYOUT, axis, element_bits, target)  ll_scan_of
 *     LL_GATHER_PLAN(NAME, SRC, INDEX, axis, element_bits, target)
 *         ll_gather_of, from layout SRC by indices of layout INDEX
 *     LL_GATHER_PLAN_BY(.., kind)  ll_gather_by
 *
 * In C++ they declare a type, in a kernel, a function or a namespace. An error
 * stops the compiler with a sentence that names the constant, such as "ll: OUT:
 * the matrix is singular, so it has no inverse". In C they declare a const
 * object in a function, and the caller checks NAME.err. LL_GET(NAME) is the
 * value in both languages.
 *
 * In a kernel nvcc says "undefined in device code" if an array of LL_GET(NAME)
 * is indexed by a number that is not a literal, as in a loop. Copy the value
 * first: constexpr ll_layout a = LL_GET(NAME); then a.basis[k]. In an unrolled
 * loop the elements are literals. */
#if LL_CONSTEXPR

#if defined(__CUDACC_RTC__) && LL_CPLUSPLUS_ < 201703L
#pragma nv_diag_suppress 20044 /* constants in templates are not variables */
#endif

/* Holds the value of a constant, so that it is computed only once. */
template <class NAME_> struct ll_const_ {
    static constexpr decltype(NAME_::get()) value = NAME_::get();
};
#if LL_CPLUSPLUS_ < 201703L
template <class NAME_> constexpr decltype(NAME_::get()) ll_const_<NAME_>::value;
#endif

/* Whether the constant NAME has type T. */
template <class A_, class B_> struct ll_is_same_ {
    enum : bool { value = false };
};
template <class A_> struct ll_is_same_<A_, A_> {
    enum : bool { value = true };
};
template <class NAME_, class T_> struct ll_is_a_ {
    enum : bool { value = ll_is_same_<decltype(NAME_::get()), T_>::value };
};

/* A constant with an error was reported at its declaration. LL_GET then returns
 * a value with the error LL_ETOLD_, which is not reported again. */
enum { LL_ETOLD_ = -1 };

template <class T_> LL_FN T_ ll_told_error_(unsigned = 0) {
    T_ none = LL_ZERO;
    none.err = (unsigned)LL_ETOLD_;
    return none;
}
template <class NAME_, bool FAILED_ = (ll_const_<NAME_>::value.err != 0)>
struct ll_got_constant_ : ll_const_<NAME_> {};
template <class NAME_> struct ll_got_constant_<NAME_, true> {
    static constexpr decltype(NAME_::get()) value =
        ll_told_error_<decltype(NAME_::get())>();
};
#if LL_CPLUSPLUS_ < 201703L
template <class NAME_>
constexpr decltype(NAME_::get()) ll_got_constant_<NAME_, true>::value;
#endif

#define LL_GET(NAME) (ll_got_constant_<NAME>::value)

/* The type NAME, for macros that take the name of a constant. If they are given
 * its value instead, the type is ll_unnamed_, which matches no kind of
 * constant: (NAME) - x casts -x if NAME is a type, and subtracts if it is a
 * value. */
struct ll_unnamed_ {
    LL_HOST_DEVICE_ static ll_unnamed_ get();
};
struct ll_probe_ {
    template <class T_> LL_HOST_DEVICE_ operator T_() const;
    LL_HOST_DEVICE_ friend ll_probe_ operator-(ll_probe_);
    template <class T_>
    LL_HOST_DEVICE_ friend ll_unnamed_ operator-(const T_ &, ll_probe_);
};
#define LL_TYPE_(NAME) decltype((NAME) - ll_probe_())

/* For an argument that must be the value of a layout. `x - ll_valued_layout_()`
 * is x; if x is the name of a type, it is a constant of that type.
 * ll_layout_or_told_ returns the layout. For anything else it returns the error
 * LL_ETOLD_, and LL_WANTS_MEMORY_ reports the mistake. */
struct ll_valued_layout_ {
    template <class T_> LL_HOST_DEVICE_ constexpr operator T_() const {
        return T_();
    }
    LL_HOST_DEVICE_ friend constexpr ll_valued_layout_
    operator-(ll_valued_layout_ x) {
        return x;
    }
    template <class T_>
    LL_HOST_DEVICE_ friend constexpr T_ operator-(const T_ &x,
                                                  ll_valued_layout_) {
        return x;
    }
};
LL_FN ll_layout ll_layout_or_told_(const ll_layout &a) { return a; }
template <class T_> LL_FN ll_layout ll_layout_or_told_(const T_ &) {
    return ll_told_error_<ll_layout>();
}

/* nvcc quotes the preprocessed line of an error, and a macro expands to one
 * line, however long. A pragma ends that line, so the sentence stands alone.
 * This pragma has no other effect. */
#if defined(__CUDACC__) && !defined(__clang__)
#define LL_END_LINE_ _Pragma("nv_diag_default 1")
#else
#define LL_END_LINE_
#endif

#define LL_ASSERT_(NAME, code, text)                                        \
    LL_END_LINE_                                                            \
    static_assert(NAME##_err_ != (unsigned)code, "ll: " #NAME ": " text);
#define LL_ASSERT_NUMBERED_(NAME, code, number, text)                       \
    LL_ASSERT_(NAME, code, text)

/* Where a layout is wrong: its members `is` and `at`, as template arguments
 * that the compiler prints. Plans have no such members. */
LL_FN unsigned ll_is_of_(const ll_layout &a) { return a.err ? a.is : 0u; }
LL_FN unsigned ll_at_of_(const ll_layout &a) { return a.err ? a.at : 0u; }
template <class T_> LL_FN unsigned ll_is_of_(const T_ &) { return 0; }
template <class T_> LL_FN unsigned ll_at_of_(const T_ &) { return 0; }

template <unsigned CHARACTER_> struct ll_wrong_at_ {
    static_assert(CHARACTER_ == 0,
                  "ll: the text is wrong at character CHARACTER_, counted "
                  "from 1");
    enum : bool { value = true };
};
template <unsigned> struct ll_never_ { /* false when instantiated */
    enum : bool { value = false };
};
template <unsigned VALUE_> struct ll_wrong_value_ {
    static_assert(ll_never_<VALUE_>::value, "ll: got VALUE_");
    enum : bool { value = true };
};
LL_FN char ll_spelt_(ll_dim d, unsigned k) {
    const unsigned code = (unsigned)(d >> (54u - 6u * k)) & 63u;
    return code ? ll_char_of_code_(code) : ' ';
}
template <char... SPELT_> struct ll_wrong_dimension_ {
    static_assert(sizeof...(SPELT_) == 0,
                  "ll: the missing dimension is SPELT_");
    enum : bool { value = true };
};
template <unsigned IS_, unsigned AT_> struct ll_wrong_ {
    enum : bool { value = true };
};
template <unsigned AT_>
struct ll_wrong_<LL_AT_CHARACTER, AT_> : ll_wrong_at_<AT_> {};
template <unsigned AT_>
struct ll_wrong_<LL_AT_VALUE, AT_> : ll_wrong_value_<AT_> {};
template <unsigned AT_>
struct ll_wrong_<LL_AT_DIMENSION, AT_>
    : ll_wrong_dimension_<ll_spelt_((ll_dim)AT_ << 30, 0),
                          ll_spelt_((ll_dim)AT_ << 30, 1),
                          ll_spelt_((ll_dim)AT_ << 30, 2),
                          ll_spelt_((ll_dim)AT_ << 30, 3),
                          ll_spelt_((ll_dim)AT_ << 30, 4)> {};

/* nvcc compiles the same text for the host and for the device. The host pass
 * skips the assertions, since the device pass checks them. Otherwise nvcc and
 * its host compiler would both compute every constant again. */
#if defined(__CUDACC__) && !defined(__clang__) && !defined(__CUDA_ARCH__) &&  \
    !LL_EMULATE
#define LL_EXPECT_(condition, text) static_assert(true, text)
#define LL_NO_ERRORS_(NAME)
#define LL_ONCE_ const
#else
#define LL_EXPECT_(condition, text) static_assert(condition, text)
#define LL_NO_ERRORS_(NAME)                                                 \
    enum : unsigned { NAME##_err_ = ll_value_.err };                        \
    LL_ERRORS(LL_ASSERT_NUMBERED_, NAME)                                    \
    static_assert(ll_wrong_<ll_is_of_(ll_value_),                           \
                            ll_at_of_(ll_value_)>::value, "");
#define LL_ONCE_ constexpr
#endif

/* One sentence reports a constant of the wrong kind. ll_as_ then replaces it
 * with a value that has the error LL_ETOLD_. */
template <class T_, bool IS_> struct ll_as_ {
    template <class NAME_> LL_FN T_ of() { return LL_GET(NAME_); }
};
template <class T_> struct ll_as_<T_, false> {
    template <class NAME_> LL_FN T_ of() { return ll_told_error_<T_>(); }
};

#define LL_IS_A_(NAME, type) (ll_is_a_<LL_TYPE_(NAME), type>::value != 0)
#define LL_VALUE_AS_(NAME, type)                                            \
    ll_as_<type, LL_IS_A_(NAME, type)>::template of<LL_TYPE_(NAME)>()
#define LL_HAS_KIND_(NAME)                                                  \
    (LL_IS_A_(NAME, ll_plan) || LL_IS_A_(NAME, ll_gather_plan))
#define LL_EXPECT_IS_(NAME, is, text)                                       \
    LL_END_LINE_                                                            \
    LL_EXPECT_(is, "ll: " #NAME ": " text)
#define LL_WANTS_LAYOUT_(NAME)                                              \
    LL_EXPECT_IS_(NAME, LL_IS_A_(NAME, ll_layout),                          \
                  "this argument must be the name of a layout of "          \
                  "LL_LAYOUT, without LL_GET");

#define LL_WANTS_MEMORY_(NAME, ...)                                         \
    LL_EXPECT_IS_(NAME,                                                     \
                  (ll_is_same_<decltype((__VA_ARGS__) -                     \
                                        ll_valued_layout_()),               \
                               ll_layout>::value),                          \
                  "the memory of a plan must be the value of a layout, "    \
                  "such as LL_GET(LAYOUT) or LL_GET(PLAN).memory");

/* Returns the kind of a plan; `expected` if p is invalid or not a plan. */
LL_FN unsigned ll_plan_kind_of_(const ll_plan &p, unsigned expected) {
    return p.err ? expected : p.kind;
}
LL_FN unsigned ll_plan_kind_of_(const ll_gather_plan &p, unsigned expected) {
    return p.err ? expected : p.kind;
}
template <class T_>
LL_FN unsigned ll_plan_kind_of_(const T_ &, unsigned expected) {
    return expected;
}

/* Whether the constant NAME is a plan, and its cycles, 0 if it is none. */
template <class NAME_> struct ll_is_plan_ {
    enum : bool {
        value = !ll_is_a_<NAME_, ll_layout>::value &&
                !ll_is_a_<NAME_, ll_unnamed_>::value
    };
};
template <class NAME_, bool IS_> struct ll_cycles_of_ {
    enum : unsigned { value = 0 };
};
template <class NAME_> struct ll_cycles_of_<NAME_, true> {
    enum : unsigned { value = LL_GET(NAME_).cycles };
};

/* Each source file has its own types of constants. Otherwise the linker would
 * merge the code of two layouts with one name. */
namespace {
struct ll_source_ {};
}
template <class NAME_, class FILE_> struct ll_named_ : NAME_ {};

/* The value has a name, because g++ evaluates a returned call at once, used or
 * not. In a class that is no template, it is computed at the end of the class.
 * CHECKS are further assertions about it. */
#define LL_DECLARE_CHECKED_(NAME, type, CHECKS, ...)                        \
    struct NAME##_ll_ {                                                     \
        LL_CONSTANT_ type get() {                                           \
            LL_ONCE_ type ll_value_ = __VA_ARGS__;                          \
            LL_NO_ERRORS_(NAME)                                             \
            CHECKS                                                          \
            return ll_value_;                                               \
        }                                                                   \
    };                                                                      \
    typedef ll_named_<NAME##_ll_, ll_source_> NAME LL_UNUSED_
#define LL_DECLARE_(NAME, type, ...)                                        \
    LL_DECLARE_CHECKED_(NAME, type, , __VA_ARGS__)

#define LL_LAYOUT(NAME, ...) LL_DECLARE_(NAME, ll_layout, __VA_ARGS__)

/* Targets are macros of a vendor's header. Without it they name the header. */
template <unsigned HERE_> LL_FN unsigned ll_vendor_header_() {
    static_assert(HERE_ != 0,
                  "ll: include ll_ptx.h (NVIDIA) or ll_amd.h (AMD)");
    return 0;
}
struct ll_no_target_ {
    template <class T_> LL_HOST_DEVICE_ constexpr operator T_() const {
        return ll_told_error_<T_>(ll_vendor_header_<sizeof(T_) * 0>());
    }
};
LL_UNUSED_ static constexpr ll_no_target_ LL_SM75 = {},
    LL_SM80 = {}, LL_SM86 = {}, LL_SM87 = {}, LL_SM88 = {}, LL_SM89 = {},
    LL_SM90 = {}, LL_SM100 = {}, LL_SM103 = {}, LL_SM110 = {}, LL_SM120 = {},
    LL_SM121 = {}, LL_SM100F = {}, LL_SM110F = {}, LL_SM120F = {},
    LL_TARGET_HERE = {}, LL_GFX908 = {}, LL_GFX90A = {}, LL_GFX942 = {},
    LL_GFX950 = {}, LL_GFX1100 = {}, LL_GFX1201 = {};

#else

#define LL_GET(NAME) (NAME)
#define LL_VALUE_AS_(NAME, type) (NAME)
#define LL_WANTS_LAYOUT_(NAME)
#define LL_DECLARE_(NAME, type, ...) const type NAME = (__VA_ARGS__)
#define LL_DECLARE_CHECKED_(NAME, type, CHECKS, ...)                        \
    const type NAME = (__VA_ARGS__)
#define LL_LAYOUT(NAME, ...) const ll_layout NAME = (__VA_ARGS__)

#endif

/* ---- kernel/expect: Compile-time checks of constants ------------------ */

/* Each check has one sentence, printed with the name that the user gave. */

#if LL_CONSTEXPR

/* If two layouts of a plan do not match, the compiler prints the type
 * ll_differ_. It has the name of the first dimension that differs, and the size
 * of that dimension in each layout, 0 if the layout lacks it. */
template <class NAME_, unsigned SIZE_, char... DIMENSION_> struct ll_has_ {};
template <class FIRST_, class SECOND_, bool ALIKE_> struct ll_differ_ {
    static_assert(ALIKE_,
                  "ll: the layouts of a plan differ in this dimension; "
                  "ll_compare prints both");
    enum : bool { value = true };
};
template <class NAME_, unsigned SIZE_, ll_dim REST_, char... DIMENSION_>
struct ll_spell_
    : ll_spell_<NAME_, SIZE_, (REST_ << 10 >> 4), DIMENSION_...,
                ll_char_of_code_((unsigned)(REST_ >> 54))> {};
template <class NAME_, unsigned SIZE_, char... DIMENSION_>
struct ll_spell_<NAME_, SIZE_, 0, DIMENSION_...> {
    typedef ll_has_<NAME_, SIZE_, DIMENSION_...> type;
};
template <class FROM_, class TO_, bool MATCH_, bool EQUAL_ = false>
struct ll_agree_ {
    enum : bool { value = true };
};
template <class FROM_, class TO_, bool EQUAL_>
struct ll_agree_<FROM_, TO_, false, EQUAL_> {
    static constexpr ll_difference_ is =
        ll_difference_of_(LL_GET(FROM_).out, LL_GET(TO_).out, EQUAL_);
    typedef typename ll_spell_<FROM_, is.size[0], is.dim>::type from;
    typedef typename ll_spell_<TO_, is.size[1], is.dim>::type to;
    /* `value` is true even after that assertion failed */
    enum : bool {
        said = ll_differ_<from, to, is.dim == 0>::value,
        value = true
    };
};

/* If lanes of layouts and target differ, the compiler prints all three. */
template <unsigned FROM_, unsigned TO_, unsigned TARGET_, bool MATCH_>
struct ll_lanes_ {
    static_assert(MATCH_, "ll: the two layouts have FROM_ and TO_ lanes below, "
                          "but a warp of the target has TARGET_");
    enum : bool { value = true };
};

/* If a layout lacks an axis, the compiler prints it and the first axes. */
template <class AXIS_, class FIRST_, class SECOND_, class THIRD_>
struct ll_lacks_ {
    static_assert(sizeof(AXIS_) == 0,
                  "ll: the layout lacks this axis; its axes follow, with "
                  "their sizes");
    enum : bool { value = true };
};
template <class NAME_, unsigned K_> struct ll_axis_named_ {
    static constexpr ll_shape out = LL_GET(NAME_).out;
    static constexpr ll_dim dim = K_ < out.n ? out.dim[K_] : 0u;
    typedef typename ll_spell_<NAME_, K_ < out.n ? 1u << out.bits[K_] : 0u,
                               dim>::type type;
};
template <class NAME_, ll_dim AXIS_, bool THERE_> struct ll_axis_is_there_ {
    enum : bool { value = true };
};
template <unsigned NUMBER_> struct ll_axis_number_ {};
template <class NAME_, ll_dim AXIS_, bool NUMBER_ = (AXIS_ < LL_MAX_DIMS)>
struct ll_axis_asked_ : ll_spell_<NAME_, 0, AXIS_> {};
template <class NAME_, ll_dim AXIS_> struct ll_axis_asked_<NAME_, AXIS_, true> {
    typedef ll_axis_number_<AXIS_> type;
};
template <class NAME_, ll_dim AXIS_>
struct ll_axis_is_there_<NAME_, AXIS_, false> {
    enum : bool {
        said = ll_lacks_<typename ll_axis_asked_<NAME_, AXIS_>::type,
                         typename ll_axis_named_<NAME_, 0>::type,
                         typename ll_axis_named_<NAME_, 1>::type,
                         typename ll_axis_named_<NAME_, 2>::type>::value,
        value = true
    };
};
/* If a layout lacks a bit of an axis, the compiler prints the layout, the
 * number of the bit, and the axis. */
template <class LAYOUT_, unsigned BIT_, char... AXIS_> struct ll_lacks_bit_ {
    static_assert(sizeof(LAYOUT_) == 0,
                  "ll: LAYOUT_ lacks bit BIT_ of the axis AXIS_");
    enum : bool { value = true };
};
template <class LAYOUT_, unsigned BIT_, ll_dim REST_, bool HELD_,
          char... AXIS_>
struct ll_holds_
    : ll_holds_<LAYOUT_, BIT_, (REST_ << 10 >> 4), HELD_, AXIS_...,
                ll_char_of_code_((unsigned)(REST_ >> 54))> {};
template <class LAYOUT_, unsigned BIT_, char... AXIS_>
struct ll_holds_<LAYOUT_, BIT_, 0, false, AXIS_...>
    : ll_lacks_bit_<LAYOUT_, BIT_, AXIS_...> {};
template <class LAYOUT_, unsigned BIT_>
struct ll_holds_<LAYOUT_, BIT_, 0, true> {
    enum : bool { value = true };
};

/* An axis, given by name or number. One sentence reports a text. */
template <class T_> LL_FN ll_dim ll_axis_of_(T_ d) { return (ll_dim)d; }
LL_FN ll_dim ll_axis_of_(const char *text) { return ll_dim_of(text); }
template <class T_> LL_FN bool ll_is_axis_(T_) { return true; }
LL_FN bool ll_is_axis_(const char *) { return false; }
template <class NAME_, bool IS_, ll_dim AXIS_> struct ll_named_axis_ {
    static_assert(IS_, "ll: LL_AT: an axis must be LL_I, LL_J and so on, or "
                       "its number, not a text");
    enum : ll_dim { value = AXIS_ };
};
#define LL_AXIS_(axis) ll_axis_of_(axis)
#define LL_WANTS_AXIS_(NAME, axis)                                          \
    LL_EXPECT_IS_(NAME, ll_is_axis_(axis), "an axis must be LL_I, LL_J "    \
                  "and so on, or its number, not a text");

LL_FN bool ll_has_axis_(const ll_layout &a, ll_dim d) {
    return ll_axis_at_(&a.out, d) < a.out.n;
}
#define LL_LACKS_(LAYOUT, axis, code)                                       \
    LL_EXPECT_((ll_axis_is_there_<                                          \
                   LL_TYPE_(LAYOUT), LL_AXIS_(axis),                        \
                   ll_value_.err != (code) ||                               \
                       ll_has_axis_(LL_VALUE_AS_(LAYOUT, ll_layout),        \
                                    LL_AXIS_(axis))>::value),               \
               "ll: " #LAYOUT " lacks an axis");
#define LL_HAS_AXIS_(LAYOUT, axis)                                          \
    LL_LACKS_(LAYOUT, axis, LL_EMISSING)                                    \
    LL_EXPECT_((ll_holds_<LL_TYPE_(LAYOUT), ll_value_.lacks.bit,            \
                          ll_value_.lacks.dim,                              \
                          ll_value_.err != LL_EHELD>::value),               \
               "ll: " #LAYOUT " lacks a bit of the axis");

/* The layouts of a gather agree in all axes but the indexed one. */
template <class NAME_, ll_dim AXIS_> struct ll_beside_ {
    LL_CONSTANT_ ll_layout get() {
        ll_layout a = LL_GET(NAME_);
        const ll_shape axis = ll_with(ll_shape LL_ZERO, AXIS_, 1);
        a.out = ll_shape_without_(&a.out, &axis);
        return a;
    }
};
#define LL_GATHER_ASKS_(SRC, INDEX, axis)                                   \
    LL_HAS_AXIS_(SRC, axis)                                                 \
    LL_LACKS_(INDEX, axis, LL_EMATCH)                                       \
    LL_EXPECT_((ll_agree_<ll_beside_<LL_TYPE_(SRC), axis>,                  \
                          ll_beside_<LL_TYPE_(INDEX), axis>,                \
                          ll_value_.err != LL_EMATCH, true>::value),        \
               "ll: " #SRC " and " #INDEX " do not match");

#define LL_MATCH_LAYOUTS_(FROM, TO)                                         \
    LL_EXPECT_((ll_lanes_<                                                  \
                   ll_size(LL_VALUE_AS_(FROM, ll_layout).in, LL_LANE),      \
                   ll_size(LL_VALUE_AS_(TO, ll_layout).in, LL_LANE),        \
                   ll_value_.lanes, ll_value_.err != LL_ELANES>::value),    \
               "ll: " #FROM " and " #TO " have wrong numbers of lanes");    \
    LL_EXPECT_((ll_agree_<LL_TYPE_(FROM), LL_TYPE_(TO),                     \
                          ll_value_.err != LL_EMATCH>::value),              \
               "ll: " #FROM " and " #TO " do not match");

/* Declares the memory of an LL_PLAN_THROUGH as a constant, which
 * LL_MATCH_MEMORY_ compares with a layout of the plan. */
#define LL_MEMORY_(NAME, ...)                                               \
    LL_WANTS_MEMORY_(NAME, __VA_ARGS__)                                     \
    struct NAME##_memory_ {                                                 \
        LL_CONSTANT_ ll_layout get() {                                      \
            return ll_layout_or_told_((__VA_ARGS__) - ll_valued_layout_()); \
        }                                                                   \
    };
#define LL_RAW_VALUE_(NAME) (ll_const_<NAME>::value)
#define LL_MATCH_MEMORY_(FROM, MEMORY)                                      \
    LL_EXPECT_((ll_agree_<LL_TYPE_(FROM), MEMORY,                           \
                          ll_value_.err != LL_EMATCH, true>::value),        \
               "ll: " #FROM " and the memory do not match");

/* The plan of that name; a value with the error LL_ETOLD_ if IS is false. */
template <class NAME_, bool IS_>
struct ll_plan_or_told_ : ll_got_constant_<NAME_> {};
template <class NAME_> struct ll_plan_or_told_<NAME_, false> {
    static constexpr ll_plan value = ll_told_error_<ll_plan>();
};

/* Assertions about what a kernel relies on.
 *
 * LL_EXPECT_KIND(PLAN, kind): the plan has exactly this kind, LL_NOTHING to
 * LL_CLUSTER.
 *
 * LL_EXPECT_NO_CONFLICTS(PLAN): no access to shared memory has a bank conflict.
 *
 * LL_EXPECT_CYCLES(PLAN, n): a plan, of any sort, costs at most n cycles per
 * warp, as ll_explain prints them. (A plan without conflicts can still be slow:
 * many narrow accesses have none either.)
 *
 * LL_EXPECT_VECTOR(LAYOUT, n): each lane holds n contiguous elements of a
 * row. */
#define LL_EXPECT_KIND(PLAN, expected)                                      \
    LL_EXPECT_IS_(PLAN, LL_HAS_KIND_(PLAN), "LL_EXPECT_KIND takes a "       \
                  "plan of LL_PLAN or LL_GATHER_PLAN");                     \
    LL_EXPECT_(ll_plan_kind_of_(ll_plan_or_told_<LL_TYPE_(PLAN),            \
                                            LL_HAS_KIND_(PLAN)>::value,     \
                                expected) == (expected),                    \
               "ll: " #PLAN ": the plan is not of kind " #expected)

#define LL_EXPECT_NO_CONFLICTS(PLAN)                                        \
    LL_EXPECT_IS_(PLAN, LL_IS_A_(PLAN, ll_plan), "LL_EXPECT_NO_CONFLICTS "  \
                  "takes a plan of LL_PLAN");                            \
    LL_EXPECT_(ll_conflicts(LL_VALUE_AS_(PLAN, ll_plan)) == 0,              \
               "ll: " #PLAN ": an access to shared memory has bank "        \
               "conflicts (ll_explain shows which)")

#define LL_EXPECT_CYCLES(PLAN, n)                                           \
    LL_EXPECT_IS_(PLAN, (ll_is_plan_<LL_TYPE_(PLAN)>::value != 0),          \
                  "LL_EXPECT_CYCLES takes a plan");                      \
    LL_EXPECT_((ll_cycles_of_<                                              \
                   LL_TYPE_(PLAN),                                          \
                   ll_is_plan_<LL_TYPE_(PLAN)>::value>::value <= (n)),      \
               "ll: " #PLAN ": the plan costs more than " #n                \
               " cycles (ll_explain shows why)")

#define LL_EXPECT_VECTOR(LAYOUT, n)                                         \
    LL_EXPECT_IS_(LAYOUT, LL_IS_A_(LAYOUT, ll_layout), "LL_EXPECT_VECTOR "  \
                  "takes a layout of LL_LAYOUT");                        \
    LL_EXPECT_(LL_VALUE_AS_(LAYOUT, ll_layout).err ||                       \
                   ll_vector(LL_VALUE_AS_(LAYOUT, ll_layout), n) == (n),    \
               "ll: " #LAYOUT ": a lane does not hold " #n                  \
               " contiguous elements of a row")

#else

#define LL_MATCH_LAYOUTS_(FROM, TO)
#define LL_MEMORY_(NAME, ...)                                               \
    const ll_layout NAME##_memory_ = (__VA_ARGS__);
#define LL_RAW_VALUE_(NAME) (NAME)
#define LL_MATCH_MEMORY_(FROM, MEMORY)
#define LL_HAS_AXIS_(LAYOUT, axis)
#define LL_AXIS_(axis) (axis)
#define LL_WANTS_AXIS_(NAME, axis)
#define LL_GATHER_ASKS_(SRC, INDEX, axis)

#endif

/* ---- kernel/sizes: Plans and sizes as constants ----------------------- */

/* Macros of an optional part that was not asked for declare this: one sentence,
 * and a constant whose error counts as reported. */
typedef struct ll_absent_ {
    unsigned err, cycles, smem_bytes;
    unsigned long long cost;
    ll_layout to;
} ll_absent_;
#if LL_CONSTEXPR
LL_FN ll_absent_ ll_nothing_() {
    ll_absent_ none = ll_told_error_<ll_absent_>();
    none.to = ll_told_error_<ll_layout>();
    return none;
}
#define LL_ABSENT_PART_(NAME, room)                                         \
    LL_END_LINE_                                                            \
    static_assert(false, "ll: " #NAME ": define " room                      \
                         " before including ll.h");                         \
    LL_DECLARE_(NAME, ll_absent_, ll_nothing_())
#define LL_ABSENT_LAYOUT_(NAME) LL_LAYOUT(NAME, ll_nothing_().to)
#else
#if defined(__cplusplus)
#define LL_NEVER_(text) static_assert(0, text)
#else
#define LL_NEVER_(text) _Static_assert(0, text)
#endif
#define LL_ABSENT_PART_(NAME, room)                                         \
    LL_NEVER_("ll: " #NAME ": define " room " before including ll.h");      \
    const ll_absent_ NAME = LL_ZERO
#define LL_ABSENT_LAYOUT_(NAME) const ll_layout NAME = LL_ZERO
#endif

/* The value of a layout, given by its name as an argument of a plan. */
#define LL_LAYOUT_OF_(NAME) LL_VALUE_AS_(NAME, ll_layout)

#define LL_PLAN(NAME, FROM, TO, element_bits, target)                       \
    LL_WANTS_LAYOUT_(FROM)                                                  \
    LL_WANTS_LAYOUT_(TO)                                                    \
    LL_DECLARE_CHECKED_(NAME, ll_plan, LL_MATCH_LAYOUTS_(FROM, TO),         \
                        ll_plan_of(LL_LAYOUT_OF_(FROM),                     \
                                   LL_LAYOUT_OF_(TO),                       \
                                   element_bits, target))
#define LL_PLAN_BY(NAME, FROM, TO, element_bits, target, kind)              \
    LL_WANTS_LAYOUT_(FROM)                                                  \
    LL_WANTS_LAYOUT_(TO)                                                    \
    LL_DECLARE_CHECKED_(NAME, ll_plan, LL_MATCH_LAYOUTS_(FROM, TO),         \
                        ll_plan_by(LL_LAYOUT_OF_(FROM),                     \
                                   LL_LAYOUT_OF_(TO),                       \
                                   element_bits, target, kind))
#define LL_PLAN_WITHIN(NAME, FROM, TO, element_bits, target, bytes)         \
    LL_WANTS_LAYOUT_(FROM)                                                  \
    LL_WANTS_LAYOUT_(TO)                                                    \
    LL_DECLARE_CHECKED_(NAME, ll_plan, LL_MATCH_LAYOUTS_(FROM, TO),         \
                        ll_plan_within(LL_LAYOUT_OF_(FROM),                 \
                                       LL_LAYOUT_OF_(TO),                   \
                                       element_bits, target, bytes))
#define LL_PLAN_THROUGH(NAME, FROM, TO, element_bits, target, memory)       \
    LL_WANTS_LAYOUT_(FROM)                                                  \
    LL_WANTS_LAYOUT_(TO)                                                    \
    LL_MEMORY_(NAME, memory)                                                \
    LL_DECLARE_CHECKED_(NAME, ll_plan,                                      \
                        LL_MATCH_LAYOUTS_(FROM, TO)                         \
                        LL_MATCH_MEMORY_(FROM, NAME##_memory_),             \
                        ll_plan_through(LL_LAYOUT_OF_(FROM),                \
                                        LL_LAYOUT_OF_(TO), element_bits,    \
                                        target, LL_RAW_VALUE_(NAME##_memory_)))
#define LL_REDUCE_PLAN(NAME, LAYOUT, axis, element_bits, target)            \
    LL_WANTS_LAYOUT_(LAYOUT)                                                \
    LL_WANTS_AXIS_(NAME, axis)                                              \
    LL_DECLARE_CHECKED_(NAME, ll_reduce_plan, LL_HAS_AXIS_(LAYOUT, axis),   \
                        ll_reduce_of(LL_LAYOUT_OF_(LAYOUT),                 \
                                     LL_AXIS_(axis), element_bits, target))
#define LL_SCAN_PLAN(NAME, LAYOUT, axis, element_bits, target)              \
    LL_WANTS_LAYOUT_(LAYOUT)                                                \
    LL_WANTS_AXIS_(NAME, axis)                                              \
    LL_DECLARE_CHECKED_(NAME, ll_scan_plan, LL_HAS_AXIS_(LAYOUT, axis),     \
                        ll_scan_of(LL_LAYOUT_OF_(LAYOUT),                   \
                                   LL_AXIS_(axis), element_bits, target))
#define LL_GATHER_PLAN(NAME, SRC, INDEX, axis, element_bits, target)        \
    LL_WANTS_LAYOUT_(SRC)                                                   \
    LL_WANTS_LAYOUT_(INDEX)                                                 \
    LL_WANTS_AXIS_(NAME, axis)                                              \
    LL_DECLARE_CHECKED_(NAME, ll_gather_plan,                               \
                        LL_GATHER_ASKS_(SRC, INDEX, LL_AXIS_(axis)),        \
                        ll_gather_of(LL_LAYOUT_OF_(SRC),                    \
                                     LL_LAYOUT_OF_(INDEX), LL_AXIS_(axis),  \
                                     element_bits, target))
#define LL_GATHER_PLAN_BY(NAME, SRC, INDEX, axis, element_bits, target,     \
    kind)                                                                   \
    LL_WANTS_LAYOUT_(SRC)                                                   \
    LL_WANTS_LAYOUT_(INDEX)                                                 \
    LL_WANTS_AXIS_(NAME, axis)                                              \
    LL_DECLARE_CHECKED_(NAME, ll_gather_plan,                               \
                        LL_GATHER_ASKS_(SRC, INDEX, LL_AXIS_(axis)),        \
                        ll_gather_by(LL_LAYOUT_OF_(SRC),                    \
                                     LL_LAYOUT_OF_(INDEX), LL_AXIS_(axis),  \
                                     element_bits, target, kind))

#if LL_CONSTEXPR
/* A number at compile time, which device code does not read from memory. */
template <unsigned N_> struct ll_counted_ {
    enum : unsigned { value = N_ };
};
#define LL_NUMBER_(...) ((unsigned)ll_counted_<(__VA_ARGS__)>::value)

/* Private: returns the first input that is not hardware's; 0 without one. */
LL_FN ll_dim ll_other_input_(const ll_layout *a) {
    ll_dim other = 0;
    for (unsigned k = 0; k < a->in.n && !other; ++k) {
        const ll_dim d = a->in.dim[k];
        other = d == LL_REGISTER || d == LL_LANE || d == LL_WARP ||
                        d == LL_BLOCK
                    ? 0
                    : d;
    }
    return other;
}

/* Reports such an input. The compiler's note spells its name. */
template <char... SPELT_> struct ll_other_input_is_ {
    static_assert(sizeof...(SPELT_) == 0,
                  "ll: the inputs of a layout of registers must be register, "
                  "lane, warp and block; SPELT_ below is another one");
};
template <class NAME_,
          ll_dim DIM_ = ll_other_input_(&ll_got_constant_<NAME_>::value)>
struct ll_inputs_of_ {
    enum : bool {
        known = sizeof(
                    ll_other_input_is_<
                        ll_spelt_(DIM_, 0), ll_spelt_(DIM_, 1),
                        ll_spelt_(DIM_, 2), ll_spelt_(DIM_, 3),
                        ll_spelt_(DIM_, 4), ll_spelt_(DIM_, 5),
                        ll_spelt_(DIM_, 6), ll_spelt_(DIM_, 7),
                        ll_spelt_(DIM_, 8), ll_spelt_(DIM_, 9)>) == 0
    };
};
template <class NAME_> struct ll_inputs_of_<NAME_, 0> {
    enum : bool { known = true };
};

/* The layout, or the plan of any kind, with that name. */
template <class NAME_, bool IS_>
struct ll_layout_named_ : ll_got_constant_<NAME_> {
    enum : bool { known = ll_inputs_of_<NAME_>::known };
};
template <class NAME_> struct ll_layout_named_<NAME_, false> {
    static constexpr ll_layout value = ll_told_error_<ll_layout>();
    static_assert(ll_is_a_<NAME_, ll_layout>::value,
                  "ll: LL_REGS, LL_WORDS, LL_THREADS, LL_BLOCKS and LL_VECTOR "
                  "take the name of a layout of LL_LAYOUT");
};
template <class NAME_, bool IS_>
struct ll_plan_named_ : ll_plan_or_told_<NAME_, IS_> {};
template <class NAME_>
struct ll_plan_named_<NAME_, false> : ll_plan_or_told_<NAME_, false> {
    static_assert(ll_is_plan_<NAME_>::value,
                  "ll: LL_SMEM_BYTES takes the name of a plan, such as of "
                  "LL_PLAN");
};
#define LL_NAMED_LAYOUT_(NAME)                                              \
    (ll_layout_named_<LL_TYPE_(NAME), LL_IS_A_(NAME, ll_layout)>::value)
#define LL_NAMED_PLAN_(NAME)                                                \
    (ll_plan_named_<LL_TYPE_(NAME),                                         \
                    (ll_is_plan_<LL_TYPE_(NAME)>::value != 0)>::value)
#else
#define LL_NUMBER_(...) (__VA_ARGS__)
#define LL_NAMED_LAYOUT_(NAME) (NAME)
#define LL_NAMED_PLAN_(NAME) (NAME)
#endif

/* LL_REGS(LAYOUT): registers per lane, in elements, for the length of an array.
 * LL_WORDS(LAYOUT, element_bits): registers per lane, in words of 32 bits. A
 * word holds several elements of 8 or 16 bits, so an array of words is the
 * better choice for them. LL_THREADS(LAYOUT): threads of a block, which are all
 * lanes of all its warps. LL_BLOCKS(LAYOUT): number of blocks; several are a
 * cluster. LL_SMEM_BYTES(PLAN): bytes of shared memory that a plan needs in
 * each block, at least 1. */
#define LL_REGS(LAYOUT)                                                     \
    LL_NUMBER_(ll_size(LL_NAMED_LAYOUT_(LAYOUT).in, LL_REGISTER))
#define LL_WORDS(LAYOUT, element_bits)                                      \
    ((LL_REGS(LAYOUT) * ll_element_held_(element_bits) + 31u) / 32u)
#define LL_THREADS(LAYOUT)                                                  \
    LL_NUMBER_(ll_size(LL_NAMED_LAYOUT_(LAYOUT).in, LL_LANE) *              \
               ll_size(LL_NAMED_LAYOUT_(LAYOUT).in, LL_WARP))
#define LL_BLOCKS(LAYOUT)                                                   \
    LL_NUMBER_(ll_size(LL_NAMED_LAYOUT_(LAYOUT).in, LL_BLOCK))
#define LL_SMEM_BYTES(PLAN)                                                 \
    LL_NUMBER_(LL_NAMED_PLAN_(PLAN).smem_bytes                              \
                   ? LL_NAMED_PLAN_(PLAN).smem_bytes                        \
                   : 1u)

/* Two 4-bit elements in a byte, with the lower-numbered one in the low half. */
typedef struct ll_b4x2 {
    unsigned char pair;
} ll_b4x2;

#if LL_CONSTEXPR
template <class T_> struct ll_is_b4x2_ {
    enum : unsigned { value = 0 };
};
template <> struct ll_is_b4x2_<ll_b4x2> {
    enum : unsigned { value = 1 };
};
#endif

#if defined(LL_DEVICE) && LL_CPLUSPLUS_ < 201703L
#error "ll: kernels need C++17: pass -std=c++17 to the compiler"
#endif

/* ---- kernel/scopes: Scopes -------------------------------------------- */

/* A scope is a group of threads that call LL_LOAD, LL_CONVERT etc. together. It
 * gives each thread its number, and has the count and the barrier of the
 * threads. Without a scope they are the threads of a one-dimensional block.
 *
 * LL_SCOPE(NAME, number, threads, barrier) declares a scope, in a kernel, a
 * function or a namespace. number: an expression of threadIdx that counts from
 * 0 in the order of the lanes, so a scope consists of whole warps. threads: a
 * constant, the LL_THREADS of the layouts. barrier: executed where these calls
 * synchronise:
 *
 *     __syncthreads()       all threads of the block: each executes it equally
 *                           often, also without an ll call
 *     LL_BARRIER(id)        the named barrier id, a constant from 1 to 15 (0 is
 *                           __syncthreads), for the threads of the scope alone
 *                           (NVIDIA)
 *     LL_BARRIER_AT(id)     the same with an id that differs between threads,
 *                           such as 1 + threadIdx.x / 128
 *     LL_BARRIER_WARP()     one warp, in a scope of one warp
 *     LL_BARRIER_CLUSTER()  all threads of the cluster (NVIDIA, sm_90): for
 *                           plans of kind LL_CLUSTER
 *
 * or any other expression that waits for these threads. AMD's targets have no
 * named barriers; a compiler error says so.
 *
 * LL_IN(NAME); puts all ll calls, LL_AT too, from there to the end of the
 * enclosing braces into the scope. LL_SYNC() executes the barrier of the scope
 * in force. LL_THREAD() is the number of a thread in a block of any shape.
 *
 *     LL_SCOPE(LOADERS, threadIdx.x, 128, LL_BARRIER(1));
 *     LL_SCOPE(WORKERS, threadIdx.x - 128, 256, LL_BARRIER(2));
 *
 *     __global__ void kernel(..) {
 *         if (threadIdx.x < 128) {
 *             LL_IN(LOADERS);
 *             LL_LOAD(a, ROWS, src, ld);
 *             ..
 *         } else {
 *             LL_IN(WORKERS);
 *             LL_CONVERT(c, b, PLAN, smem);
 *             ..
 *         }
 *     }
 *
 * One warp can hand tiles to four. A plan needs max(LL_THREADS(FROM),
 * LL_THREADS(TO)) threads, and so does each of its halves. If the sides differ,
 * a plan of both layouts chooses the memory, and each side has its own plan
 * through that memory, of its own layout alone. LL_SYNC() in a scope of all
 * five warps hands over one of two tiles:
 *
 *     LL_PLAN_BY(TURN, ONE_WARP, FOUR, 32, LL_SM90, LL_COPIES);
 *     LL_PLAN_THROUGH(PUT, ONE_WARP, ONE_WARP, 32, LL_SM90,
 *                     LL_GET(TURN).memory);
 *     LL_PLAN_THROUGH(TAKE, FOUR, FOUR, 32, LL_SM90, LL_GET(TURN).memory);
 *     LL_SCOPE(GIVER, threadIdx.x, 32, LL_BARRIER_WARP());
 *     LL_SCOPE(TAKERS, threadIdx.x - 32, 128, LL_BARRIER(1));
 *     LL_SCOPE(BOTH, threadIdx.x, 160, LL_BARRIER(2));
 *
 *     LL_IN(BOTH);
 *     for (unsigned k = 0; k < tiles; ++k) {
 *         if (threadIdx.x < 32) {
 *             LL_IN(GIVER);
 *             LL_COPY(PUT, smem[k % 2], src + k * step, ld);
 *             LL_COPY_COMMIT();
 *             LL_COPY_WAIT(0);
 *         }
 *         LL_SYNC();
 *         if (threadIdx.x >= 32) {
 *             LL_IN(TAKERS);
 *             LL_LOAD_SHARED(a, TAKE, smem[k % 2]);
 *             ..
 *         }
 *     }
 *
 *     LL_SCOPE(ALL, LL_THREAD(), 256, __syncthreads());
 *
 * is the scope of a block of dim3(16, 16). A function that a kernel calls does
 * not see the kernel's scope: it is a template over a scope, or has its own
 * LL_IN.
 *
 * The compiler checks that a scope has as many threads as the layouts of its ll
 * calls. Which threads make a call is known only at run time. The emulator
 * always checks their numbers and lanes, that every number arrives at the
 * scope's barrier, and that no number occurs twice. With LL_DEBUG the GPU
 * checks each thread that makes a call; if its number is wrong, it prints a
 * message and stops. */

#ifdef LL_DEVICE

/* The emulator reports a scope by name, with threads that never arrived. */
#if LL_EMULATE
#define LL_CALLED_(NAME) static const char *ll_name_() { return #NAME; }
#define LL_CAME_(V_, SCOPE)                                                 \
    V_::came(SCOPE::ll_name_(), SCOPE::ll_thread_(), SCOPE::ll_threads_)
#else
#define LL_CALLED_(NAME)
#define LL_CAME_(V_, SCOPE) (void)0
#endif

#define LL_SCOPE(NAME, number, threads, ...)                                \
    static_assert(sizeof #__VA_ARGS__ > 1,                                  \
                  "ll: LL_SCOPE(" #NAME ", number, threads, barrier): the " \
                  "barrier is missing");                   \
    struct NAME##_ll_ {                                                     \
        typedef NAME##_ll_ ll_self_;                                        \
        enum : unsigned { ll_threads_ = (threads) };                        \
        LL_DEVICE unsigned ll_thread_() { return (unsigned)(number); }      \
        LL_CALLED_(NAME)                                                    \
        LL_DEVICE auto ll_sync_() { return __VA_ARGS__; }                   \
    };                                                                      \
    typedef ll_named_<NAME##_ll_, ll_source_> NAME LL_UNUSED_

/* A vendor's header defines LL_BY_VENDOR_(function) as the function. Without
 * one, what needs it says which header to include. */
template <class... T_> LL_DEVICE unsigned ll_no_vendor_(T_ &&...) {
    return ll_vendor_header_<sizeof...(T_) * 0>();
}
#define LL_BY_VENDOR_(...) ll_no_vendor_
#define LL_SHARED_ADDRESS_(smem) 0u

/* The hooks of a scope, from the vendor's header. */
struct ll_vendor_;
template <class SCOPE_> struct ll_vendor_in_;
template <class SCOPE_, class = void> struct ll_scope_of_ {
    static_assert(sizeof(SCOPE_) == 0,
                  "ll: LL_IN takes the name of a scope of LL_SCOPE");
    typedef ll_vendor_ type;
};
template <class SCOPE_>
struct ll_scope_of_<SCOPE_, decltype((void)SCOPE_::ll_threads_)> {
    typedef ll_vendor_in_<SCOPE_> type;
};
#define LL_IN(NAME)                                                         \
    typedef typename ll_scope_of_<NAME>::type ll_scope_                     \
        LL_UNUSED_

#define LL_THREAD()                                                         \
    (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))

/* The hooks that a vendor's header provides. ll_vendor_::moves<lanes> is a type
 * V for warps of that many lanes. ll_vendor_in_<SCOPE>::moves<lanes> is the
 * same for a scope, with V::threads the count of its threads, elsewhere 0:
 *
 *     V::thread()  the number of the thread in its block
 *     V::shared(p)  the address of p in shared memory
 *     V::lanes  the lanes of a warp
 *     V::permute(a, b, selector)  bytes of two words
 *     V::low_halves(a, b)  the low halves of two words; another word gets
 *         the high ones
 *     V::choose<OTHER>(a, b, on)  word b if `on` is not 0, else a; OTHER is 1
 *         for the second of two exchanged words, which may take another way
 *     V::exchange<XOR>(x), V::shuffle(x, lane)  the word x of another lane
 *     V::hop<HOP, CONTROL>(x)  the word x of another lane, by one hop
 *     V::swap<LANE>(a, b)  exchanges word a of each lane that has the bit LANE
 *         with word b of the lane that differs in that bit
 *     V::put<FORM, BYTES>(address, v), V::take<FORM, BYTES>(address)  an access
 *         to shared memory
 *     V::store<HOW, BYTES>(address, v, on), V::load<HOW, BYTES>(address, on)
 *         an access to global memory in lanes where `on` is not 0 (elsewhere a
 *         load returns 0); LL_STREAM in HOW may be ignored
 *     V::widest  the largest such access with LL_WIDE, in bytes
 *     V::copy<BYTES>(to, from), V::copy_some<BYTES>(to, from, on)  copies from
 *         global to shared memory; writes zeros where `on` is 0
 *     V::commit(), V::wait_copies<N>()  closes a group of copies; waits for all
 *         groups but the last N
 *     V::wait_warp(), V::wait_block()  barriers
 *     V::wait_named<ID, THREADS>(), V::wait_named_at<THREADS>(id)  barriers of
 *         some threads of the block, if V::named is 1
 *
 * V::hop and V::swap are for targets that have them. An emulator is also told
 * who moves what:
 *
 *     V::enter(scope, number, threads, lanes)  a thread begins an ll call
 *     V::came(scope, number, threads)  it arrives at the barrier of a scope
 *     V::columns(cols, each, all)  the columns of a tile inside the matrix
 *     V::half(&memory, is_load)  a half of a plan begins, through a V::memory
 *         that is known while it runs; with a null pointer it ends
 *
 * For clusters also:
 *
 *     V::block()  the rank of the thread's own block
 *     V::dsmem(address, block)  the address in another block's shared memory
 *     V::take_dsmem<BYTES>(address), V::wait_cluster()
 *
 * V::stores and V::loads (a bit for each form), V::copies and V::clusters say
 * what the GPU supports that the code is compiled for. */

/* The vendor's hooks for warps of LANES lanes. */
template <class VENDOR_, unsigned LANES_>
using ll_moves_ = typename VENDOR_::template moves<LANES_>;

/* The barriers of scopes. A cluster's barrier is recognised by its type. */
struct ll_of_cluster_ {};

template <class VENDOR_, class SCOPE_, unsigned ID_>
LL_DEVICE void ll_named_barrier_() {
    typedef ll_moves_<VENDOR_, 64> moves;
    constexpr unsigned threads = SCOPE_::ll_threads_;
    constexpr bool fits = ID_ - 1u < 15u && threads % 32u == 0;
    static_assert(moves::named,
                  "ll: LL_BARRIER: this GPU has no named barriers: use "
                  "__syncthreads() or LL_BARRIER_WARP()");
    static_assert(fits,
                  "ll: LL_BARRIER: the id must be 1 to 15 (0 is "
                  "__syncthreads), and the scope must be of whole warps");
    if constexpr (moves::named && fits) {
        moves::template wait_named<ID_, threads>();
    }
}

template <class VENDOR_, class SCOPE_>
LL_DEVICE void ll_named_barrier_at_(unsigned id) {
    typedef ll_moves_<VENDOR_, 64> moves;
    static_assert(moves::named,
                  "ll: LL_BARRIER_AT: this GPU has no named barriers: use "
                  "__syncthreads() or LL_BARRIER_WARP()");
    if constexpr (moves::named) {
        moves::template wait_named_at<SCOPE_::ll_threads_>(id);
    }
}

template <class VENDOR_> LL_DEVICE ll_of_cluster_ ll_cluster_barrier_() {
    typedef ll_moves_<VENDOR_, 64> moves;
    static_assert(moves::clusters,
                  "ll: LL_BARRIER_CLUSTER: this GPU has no clusters");
    if constexpr (moves::clusters) {
        moves::wait_cluster();
    }
    return {};
}

#define LL_BARRIER(id)                                                      \
    LL_BY_VENDOR_(ll_named_barrier_<ll_vendor_, ll_self_, (id)>)()
#define LL_BARRIER_AT(id)                                                   \
    LL_BY_VENDOR_(ll_named_barrier_at_<ll_vendor_, ll_self_>)(id)
#define LL_BARRIER_WARP()                                                   \
    LL_BY_VENDOR_(ll_moves_<ll_vendor_, 64>::wait_warp)()
#define LL_BARRIER_CLUSTER() LL_BY_VENDOR_(ll_cluster_barrier_<ll_vendor_>)()
#define LL_SYNC() LL_BY_VENDOR_(ll_moves_<ll_scope_, 64>::wait_block)()

/* A scope adds its thread number and its barrier to a vendor's hooks. */
template <class V_, class SCOPE_> struct ll_scoped_hooks_ : V_ {
    enum : unsigned { threads = SCOPE_::ll_threads_ };
    LL_DEVICE unsigned thread() { return SCOPE_::ll_thread_(); }
    LL_DEVICE void wait_block() {
        LL_CAME_(V_, SCOPE_);
        SCOPE_::ll_sync_();
    }
    LL_DEVICE void wait_cluster() {
        constexpr bool all =
            ll_is_same_<decltype(SCOPE_::ll_sync_()), ll_of_cluster_>::value;
        static_assert(all, "ll: a plan of kind LL_CLUSTER needs a scope with "
                           "the barrier LL_BARRIER_CLUSTER()");
        LL_CAME_(V_, SCOPE_);
        SCOPE_::ll_sync_();
    }
};

/* Checks at the start of a call by n threads, in warps of `lanes` lanes. At
 * compile time: the scope has n threads. At run time (emulator, LL_DEBUG): the
 * block has at least n threads, in x if there is no scope, and each arriving
 * thread has a number below n and the expected lane. The emulator also knows
 * the other threads, and the name of the scope, which is 0 without LL_IN. */
#if LL_EMULATE
LL_DEVICE const char *ll_scope_name_(const void *) { return 0; }
template <class V_, class SCOPE_>
LL_DEVICE const char *ll_scope_name_(const ll_scoped_hooks_<V_, SCOPE_> *) {
    return SCOPE_::ll_name_();
}

template <class V_, unsigned THREADS_, unsigned LANES_>
LL_DEVICE void ll_check_threads_() {
    V_::enter(ll_scope_name_((const V_ *)0), V_::thread(), THREADS_, LANES_);
}
#elif LL_DEBUG
#ifdef __clang__
#define LL_STOP_ __builtin_trap()
#else
#define LL_STOP_ __trap()
#endif
#define LL_REFUSE_(number, threads)                                         \
    (LL_THREAD() % 32u == 0 || number >= threads                            \
         ? (void)printf("ll: thread %u of a block of %u x %u x %u is number " \
                        "%u of a call by %u threads; numbers must count "   \
                        "from 0 in the order of the lanes, along x if "     \
                        "there is no LL_IN: see LL_SCOPE\n",                \
                        LL_THREAD(), blockDim.x, blockDim.y,                \
                        blockDim.z, number, threads)                        \
         : (void)0,                                                         \
     LL_STOP_)

template <class V_, unsigned THREADS_, unsigned LANES_>
LL_DEVICE void ll_check_threads_() {
    const unsigned number = V_::thread();
    const unsigned more = V_::threads ? blockDim.y * blockDim.z : 1u;
    const bool whole = blockDim.x * more >= THREADS_;
    if (!whole || number >= THREADS_ ||
        (number ^ LL_THREAD()) % LANES_ != 0) {
        LL_REFUSE_(number, THREADS_);
    }
}
#endif

/* Also checks that the matrix's columns are whole accesses of the tile S.
 * Otherwise the last access would cross the matrix's end. */
#if LL_EMULATE
#define LL_CHECK_COLS_(V_, S_, T_, cols)                                    \
    V_::columns(cols, (unsigned)(S_::bytes / sizeof(T_)),                   \
                1u << S_::value.col_bits)
#elif LL_DEBUG
template <unsigned EACH_, unsigned ALL_>
LL_DEVICE void ll_check_cols_(unsigned cols) {
    if (cols < ALL_ && cols % EACH_ != 0) {
        (void)printf("ll: a tile has %u columns inside the matrix, not a "
                     "multiple of the %u that one access moves\n", cols, EACH_);
        LL_STOP_;
    }
}
#define LL_CHECK_COLS_(V_, S_, T_, cols)                                    \
    ll_check_cols_<S_::bytes / sizeof(T_), 1u << S_::value.col_bits>(cols)
#else
#define LL_CHECK_COLS_(V_, S_, T_, cols) (void)0
#endif

#if LL_EMULATE || LL_DEBUG
#define LL_CHECK_(V_, n, lanes) ll_check_threads_<V_, (n), (lanes)>()
#else
#define LL_CHECK_(V_, n, lanes) (void)0
#endif

/* The compiler's note prints both numbers. GIVEN is 0 without LL_IN. */
template <unsigned GIVEN_, unsigned NEEDED_> struct ll_scope_has_ {
    static_assert(GIVEN_ == 0 || GIVEN_ == NEEDED_,
                  "ll: the scope has GIVEN_ threads below, but must have "
                  "NEEDED_, the LL_THREADS of the layouts (give a side with "
                  "fewer warps its own plan by LL_PLAN_THROUGH)");
    enum : bool { value = true };
};
#define LL_ENTER_MOVE_(V_, n, lanes)                                        \
    static_assert(ll_scope_has_<V_::threads, (n)>::value, "");              \
    LL_CHECK_(V_, n, lanes)

#endif

/* ---- kernel/words: Words of a lane ------------------------------------ */

/* Code for kernels, which are C++17. A kernel sees layouts and plans as types,
 * so every mask, shift, address and selector is a literal. Loads, stores and
 * conversions are templates over the steps of a plan, and each step is compiled
 * to straight-line code. The compiler's front end folds them: no optimiser has
 * to remove a loop, an array or a table, and an array of registers is indexed
 * by literals only. A vendor's header adds one type, the hooks, with a function
 * for each instruction. */

#ifdef LL_DEVICE

template <unsigned... I_> struct ll_seq_ {};

template <class A_, class B_> struct ll_seq_cat_;
template <unsigned... I_, unsigned... J_>
struct ll_seq_cat_<ll_seq_<I_...>, ll_seq_<J_...>> {
    typedef ll_seq_<I_..., ((unsigned)sizeof...(I_) + J_)...> type;
};

/* The list of the numbers 0 .. N - 1, as a type. */
template <unsigned N_> struct ll_seq_upto_ {
    typedef typename ll_seq_cat_<typename ll_seq_upto_<N_ / 2>::type,
                                 typename ll_seq_upto_<N_ - N_ / 2>::type>::type
        type;
};
template <> struct ll_seq_upto_<0> { typedef ll_seq_<> type; };
template <> struct ll_seq_upto_<1> { typedef ll_seq_<0> type; };
template <unsigned N_> using ll_seq_below_ = typename ll_seq_upto_<N_>::type;

/* Types that hold values for the templates below: step STEP of a plan, and the
 * tile of a layout for elements of BITS bits. */
template <class PLAN_, unsigned STEP_> struct ll_step_of_ {
    static constexpr ll_step value = LL_GET(PLAN_).step[STEP_];
};

#define LL_ASSERT_TILE_(tile, code, number, text)                           \
    LL_END_LINE_                                                            \
    static_assert(tile.err != (unsigned)(code),                             \
                  "ll: a tile of row-major memory: " text);
template <class LAYOUT_, unsigned BITS_, unsigned MOST_> struct ll_tile_for_ {
    static constexpr ll_tile value = ll_tile_of(LL_GET(LAYOUT_), BITS_, MOST_);
    LL_ERRORS(LL_ASSERT_TILE_, value)
};

/* The numbers of the map that MAP::map() returns. */
template <class MAP_> struct ll_map_numbers_ {
    static constexpr ll_map value = MAP_::map();
    static constexpr unsigned used = ll_map_used_(&value);
    static constexpr unsigned offset = value.offset;
    typedef ll_seq_below_<value.n> each;
};

template <class HOLDER_> struct ll_move_ : HOLDER_ {
    LL_CONSTANT_ ll_map map() { return HOLDER_::value.thread; }
    enum : unsigned {
        bytes = HOLDER_::value.bytes,
        per = bytes < 4 ? 1 : bytes / 4, /* words per access */
        touched = HOLDER_::value.touched,
        spare = HOLDER_::value.at.spare,
        vector = 1u << HOLDER_::value.at.vector,
        groups = 1u << (HOLDER_::value.at.n - HOLDER_::value.at.vector)
    };
    typedef ll_seq_below_<groups> each;
    typedef ll_seq_below_<per * groups> words;
};

/* The place of position P of step or tile S. moved: the bits that must be XORed
 * into the thread's part. fixed: the bits that may be added to it. */
template <class S_, unsigned P_> struct ll_position_ {
    enum : unsigned {
        place = ll_places(&S_::value.at, P_),
        moved = place & S_::touched,
        fixed = place & ~S_::touched
    };
};

/* Term K of a map. An AND that clears no bit of any input is left out. */
template <class MAP_, unsigned K_> struct ll_term_ {
    static constexpr int by = ll_map_numbers_<MAP_>::value.shift[K_];
    enum : unsigned {
        left = by > 0 ? (unsigned)by : 0u,
        right = by < 0 ? 0u - (unsigned)by : 0u,
        exact = ll_map_numbers_<MAP_>::value.mask[K_],
        mask = exact == (ll_map_numbers_<MAP_>::used >> right << right) ? ~0u
                                                                        : exact
    };
};

/* Evaluates a map at x: an AND, a shift and an XOR per term. */
template <class MAP_, unsigned... K_>
LL_DEVICE unsigned ll_terms_at_(unsigned x, ll_seq_<K_...>) {
    return (ll_map_numbers_<MAP_>::offset ^ ... ^
            ((x & ll_term_<MAP_, K_>::mask) << ll_term_<MAP_, K_>::left >>
             ll_term_<MAP_, K_>::right));
}

template <class MAP_> LL_DEVICE unsigned ll_thread_at_(unsigned x) {
    return ll_terms_at_<MAP_>(x & ll_map_numbers_<MAP_>::used,
                              typename ll_map_numbers_<MAP_>::each());
}

/* The bytes of one access, from the lowest address up; at most 32. */
typedef struct ll_words {
    unsigned w[8];
} ll_words;

/* The registers of a lane while it moves data: N words of 32 bits. */
template <unsigned N_> struct ll_file_ {
    unsigned w[N_];
};

/* Converts an array of N elements of type T to words and back. Elements below
 * 32 bits are packed as in memory; words pass unchanged. */
template <class T_, unsigned N_> struct ll_array_ {
    enum : unsigned {
        size = sizeof(T_),
        count = N_,
        bytes = size * N_,
        words = (bytes + 3u) / 4u
    };
    typedef ll_seq_below_<words> each;
    LL_FN unsigned piece(unsigned w) {
        return bytes - 4u * w < 4u ? bytes - 4u * w : 4u;
    }
    template <unsigned... W_>
    LL_DEVICE ll_file_<words> read(const T_ *a, ll_seq_<W_...>) {
        ll_file_<words> f = {{0}};
        (LL_MEMCPY_(f.w + W_, (const char *)a + 4u * W_, piece(W_)), ...);
        return f;
    }
    template <unsigned M_, unsigned... W_>
    LL_DEVICE void write(T_ *a, const ll_file_<M_> &f, ll_seq_<W_...>) {
        (LL_MEMCPY_((char *)a + 4u * W_, f.w + W_, piece(W_)), ...);
    }
};

/* Returns word W after register bits 0 and K have been exchanged. Within a
 * word, nibbles that have bit 0 and not bit K move up. Between words, the high
 * nibbles of one are exchanged with the low nibbles of the other. */
template <class V_, unsigned K_, unsigned W_, unsigned N_>
LL_DEVICE unsigned ll_nibble_word_(const ll_file_<N_> &f) {
    const unsigned w = f.w[W_];
    if constexpr (K_ < 3) {
        constexpr unsigned by = (4u << K_) - 4u;
        constexpr unsigned up = K_ == 1 ? 0x00f000f0u : 0x0000f0f0u;
        return V_::merge(w >> by, V_::merge(w << by, w, up << by), up);
    } else {
        constexpr unsigned by = 1u << (K_ - 3);
        const unsigned other = f.w[W_ ^ by];
        return (W_ & by) == 0 ? V_::merge(w, other << 4, 0x0f0f0f0f)
                              : V_::merge(other >> 4, w, 0x0f0f0f0f);
    }
}

template <class V_, unsigned K_, unsigned N_, unsigned... W_>
LL_DEVICE ll_file_<N_> ll_nibble_words_(const ll_file_<N_> &f,
                                        ll_seq_<W_...>) {
    return {{ll_nibble_word_<V_, K_, W_>(f)...}};
}

/* Moves 4-bit elements apart, to a byte each: words of the low ones, then words
 * of the high ones. The other half of each byte is arbitrary. */
template <unsigned N_, unsigned... W_>
LL_DEVICE ll_file_<2 * N_> ll_apart_words_(const ll_file_<N_> &f,
                                           ll_seq_<W_...>) {
    return {{f.w[W_]..., (f.w[W_] >> 4)...}};
}

template <class V_, unsigned N_, unsigned... W_>
LL_DEVICE ll_file_<sizeof...(W_)> ll_join_words_(const ll_file_<N_> &f,
                                                 ll_seq_<W_...>) {
    return {{V_::merge(f.w[W_], f.w[W_ + sizeof...(W_)] << 4, 0x0f0f0f0f)...}};
}

/* Rearranges the nibbles of a lane before a plan's steps, which have 2^BITS
 * registers; ll_nibbles_after_ does so after them. Less than a word of pairs
 * moves apart within its word. */
template <class V_, unsigned HOW_, unsigned BITS_, unsigned N_>
LL_DEVICE auto ll_nibbles_before_(const ll_file_<N_> &f) {
    if constexpr (HOW_ == LL_STAY) {
        return f;
    } else if constexpr (HOW_ != LL_APART) {
        return ll_nibble_words_<V_, HOW_>(f, ll_seq_below_<N_>());
    } else if constexpr (BITS_ > 2) {
        return ll_apart_words_(f, ll_seq_below_<N_>());
    } else {
        constexpr unsigned half = 4u << BITS_;
        return ll_file_<1>{
            {V_::merge(f.w[0], f.w[0] << (half - 4u), (1u << half) - 1u)}};
    }
}

template <class V_, unsigned HOW_, unsigned BITS_, unsigned N_>
LL_DEVICE auto ll_nibbles_after_(const ll_file_<N_> &f) {
    if constexpr (HOW_ != LL_APART) {
        return ll_nibbles_before_<V_, HOW_, BITS_>(f);
    } else if constexpr (BITS_ > 2) {
        return ll_join_words_<V_>(f, ll_seq_below_<N_ / 2>());
    } else {
        return ll_file_<1>{{V_::merge(
            f.w[0], f.w[0] >> ((4u << BITS_) - 4u), 0x0f0f0f0f)}};
    }
}

/* Returns where a byte of a renaming comes from: 4 times the word, plus the
 * byte in it. The source has 2^BEFORE elements per word, the result 2^AFTER. An
 * unused byte keeps its place within the word of a used byte. */
LL_FN unsigned ll_byte_of_(const ll_access *at, unsigned bytes,
                           unsigned before, unsigned after, unsigned byte) {
    if (bytes >= 4u) {
        return ll_registers(at, byte / bytes) * bytes + byte % bytes;
    }
    const unsigned slot = byte % 4u / bytes;
    const unsigned p = byte / 4u << after | (slot & ll_ones_(after));
    const unsigned r = ll_registers(at, p);
    const unsigned source =
        (r >> before) * 4u + (r & ll_ones_(before)) * bytes + byte % bytes;
    return slot >> after ? (source & ~3u) | byte % 4u : source;
}

/* Word W of a renaming: one byte permute (PRMT) of two words, or a permute of
 * two permutes with the selectors `low` and `high`. */
template <class AT_, unsigned BYTES_, unsigned BEFORE_, unsigned AFTER_,
          unsigned W_>
struct ll_fetch_ {
    enum : unsigned {
        b0 = ll_byte_of_(&AT_::value, BYTES_, BEFORE_, AFTER_, 4 * W_),
        b1 = ll_byte_of_(&AT_::value, BYTES_, BEFORE_, AFTER_, 4 * W_ + 1),
        b2 = ll_byte_of_(&AT_::value, BYTES_, BEFORE_, AFTER_, 4 * W_ + 2),
        b3 = ll_byte_of_(&AT_::value, BYTES_, BEFORE_, AFTER_, 4 * W_ + 3),
        w0 = b0 / 4,
        w1 = b1 / 4,
        w2 = b2 / 4,
        w3 = b3 / 4,
        other = w1 != w0 ? w1 : w2 != w0 ? w2 : w3,
        two = (w1 == w0 || w1 == other) && (w2 == w0 || w2 == other) &&
              (w3 == w0 || w3 == other),
        selector = b0 % 4 | (b1 % 4 + (w1 == w0 ? 0 : 4)) << 4 |
                   (b2 % 4 + (w2 == w0 ? 0 : 4)) << 8 |
                   (b3 % 4 + (w3 == w0 ? 0 : 4)) << 12,
        low = b0 % 4 | (b1 % 4 + 4) << 4 | 0x3200,
        high = b2 % 4 | (b3 % 4 + 4) << 4 | 0x3200,
        plain = two && selector == 0x3210
    };
};

template <class V_, class F_, bool FLIP_, bool HALVES_, unsigned N_>
LL_DEVICE unsigned ll_fetch_word_(const ll_file_<N_> &f, unsigned flip) {
    if constexpr (!FLIP_ && F_::plain) {
        return f.w[F_::w0];
    } else if constexpr (HALVES_ && F_::two && F_::selector == 0x5410) {
        return V_::low_halves(f.w[F_::w0], f.w[F_::other]);
    } else if constexpr (F_::two) {
        return V_::permute(f.w[F_::w0], f.w[F_::other], F_::selector ^ flip);
    } else {
        return V_::permute(V_::permute(f.w[F_::w0], f.w[F_::w1],
                                       F_::low ^ (flip & 0xffu)),
                           V_::permute(f.w[F_::w2], f.w[F_::w3],
                                       F_::high ^ (flip & 0xffu)),
                           0x5410);
    }
}

template <class V_, class AT_, unsigned BYTES_, unsigned BEFORE_,
          unsigned AFTER_, bool FLIP_, bool HALVES_, unsigned N_,
          unsigned... W_>
LL_DEVICE ll_file_<sizeof...(W_)>
ll_file_fetch_all_(const ll_file_<N_> &f, unsigned flip, ll_seq_<W_...>) {
    return {{ll_fetch_word_<V_, ll_fetch_<AT_, BYTES_, BEFORE_, AFTER_, W_>,
                            FLIP_, HALVES_>(f, flip)...}};
}

/* Returns one of two renamings from two words that replace one from four. */
LL_FN ll_access ll_half_step_(const ll_access *m, unsigned high, int second) {
    ll_access h = *m;
    if (second) {
        h.first = 0;
        for (unsigned k = 0; k < h.n; ++k) {
            h.reg[k] = 1u << k;
        }
    }
    const unsigned r = h.reg[1];
    h.reg[1] = h.reg[high];
    h.reg[high] = r;
    return h;
}

/* Returns the position bit to exchange with bit 1 so that both of these fill
 * words from two words; 0 if there is none. */
LL_FN unsigned ll_half_bit_(const ll_access *m) {
    for (unsigned k = 2; k < m->n; ++k) {
        if (m->reg[k] < 4u) {
            return k;
        }
    }
    return 0;
}

template <class AT_, unsigned HIGH_, int SECOND_> struct ll_half_of_ {
    static constexpr ll_access value =
        ll_half_step_(&AT_::value, HIGH_, SECOND_);
};

#endif

/* ---- kernel/moves: Arguments of loads, stores and conversions --------- */

/* Include ll_ptx.h or ll_amd.h for loads, stores, conversions, reductions,
 * scans and gathers. For another vendor, change #include and targets.
 *
 * The registers of a lane are an array of LL_REGS(LAYOUT) elements, of any type
 * that has the elements' size. They can also be an array of LL_WORDS(LAYOUT,
 * element_bits) unsigned words that each hold several elements of 8 or 16 bits,
 * as in operands of matrix instructions; that saves registers.
 *
 * 4-bit elements are pairs in bytes, of an even register number and the next
 * one: an array of LL_REGS(LAYOUT) / 2 ll_b4x2, or of LL_WORDS(LAYOUT, 4)
 * words. In memory, a pair is columns 2j and 2j + 1. src and dst are pointers
 * to ll_b4x2, and ld, cols and the numbers that they must be multiples of count
 * pairs. LL_LOAD and LL_STORE need a register bit that is column bit j0;
 * LL_CONVERT takes any layouts. LL_LOAD, LL_STORE, LL_CONVERT, LL_COPY and the
 * halves of conversions take 4-bit elements. 6-bit elements have a byte
 * each. */

#ifdef LL_DEVICE

/* The plan of that name. Asserts that an array of shared memory is large enough
 * for it; sizes behind pointers are not known. */
template <unsigned given_, unsigned needed_> struct ll_bytes_are_ {
    static_assert(given_ >= needed_,
                  "ll: the array of shared memory has given_ bytes below, but "
                  "must have needed_: LL_SMEM_BYTES of the plan");
};
/* An argument of any type. An overload that takes it is worse than all that
 * take the argument itself. An ellipsis would do, but clang before 17 refuses
 * it in device code. LL_ANY_ARGS_ are up to ten arguments. */
struct ll_any_ {
    template <class T_> LL_HOST_DEVICE_ ll_any_(const T_ &) {}
};
#define LL_ANY_ARGS_                                                        \
    ll_any_ = 0, ll_any_ = 0, ll_any_ = 0, ll_any_ = 0, ll_any_ = 0,        \
    ll_any_ = 0, ll_any_ = 0, ll_any_ = 0, ll_any_ = 0, ll_any_ = 0

template <class PLAN_, unsigned BYTES_,
          bool IS_ = ll_is_plan_<PLAN_>::value && (BYTES_ > 0)>
struct ll_within_ {
    typedef PLAN_ type;
};
template <class PLAN_, unsigned BYTES_>
struct ll_within_<PLAN_, BYTES_, true>
    : ll_bytes_are_<BYTES_, LL_GET(PLAN_).smem_bytes> {
    typedef PLAN_ type;
};
template <class PLAN_, class T_, decltype(sizeof 0) N_>
LL_HOST_DEVICE_ ll_within_<PLAN_, (unsigned)sizeof(T_[N_])>
ll_within_of_(T_ (&)[N_]) {
    return {};
}
template <class PLAN_>
LL_HOST_DEVICE_ ll_within_<PLAN_, 0> ll_within_of_(ll_any_) {
    return {};
}
#define LL_MOVE_(move, PLAN, smem)                                          \
    LL_BY_VENDOR_(                                                          \
        move<ll_scope_,                                                     \
             typename decltype(ll_within_of_<LL_TYPE_(PLAN)>(smem))::type>)

/* The overload for arguments that no other overload takes, such as a pointer in
 * place of an array. Calling it is an error. */
#define LL_NO_MOVE_(move, text)                                             \
    template <class SCOPE_, class PLAN_> LL_DEVICE void move(LL_ANY_ARGS_) {\
        static_assert(sizeof(SCOPE_) == 0, "ll: " text);                    \
    }
#define LL_NO_TILE_(move, text)                                             \
    template <class SCOPE_, class LAYOUT_, unsigned HOW_>                   \
    LL_DEVICE void move(LL_ANY_ARGS_) {                                     \
        static_assert(sizeof(SCOPE_) == 0, "ll: " text);                    \
    }

/* The optional last argument of a macro. LL_OPTIONAL_ARG_(args) is the
 * argument, or an ll_no_arg_ if there is none. It expands to `args -
 * ll_no_arg_()`: the binary minus returns the argument, the unary minus the
 * ll_no_arg_. */
struct ll_no_arg_ {
    template <class T_>
    LL_HOST_DEVICE_ friend constexpr T_ &&operator-(T_ &&x, ll_no_arg_) {
        return (T_ &&)x;
    }
    LL_HOST_DEVICE_ friend constexpr ll_no_arg_ operator-(ll_no_arg_ x) {
        return x;
    }
};
#define LL_OPTIONAL_ARG_(...) __VA_ARGS__ - ll_no_arg_()

#endif

/* ---- kernel/convert: Conversions in kernels --------------------------- */

/* Executes the steps of a plan as straight-line code. */

#ifdef LL_DEVICE

template <class S_> struct ll_at_ {
    static constexpr ll_access value = S_::value.at;
};

/* Returns what a flip by `by` XORs into selectors of byte permutes: in each of
 * four digits, the byte offset within the word, plus 4 for the other word. */
LL_FN unsigned ll_flip_of_(unsigned by, unsigned bytes, unsigned before) {
    const unsigned low = (by & ll_ones_(before)) * bytes;
    return 0x1111u * (low | (by >> before ? 4u : 0u));
}

/* Renames all positions by AT. `flip` is XORed into the selectors. */
template <class V_, class AT_, unsigned BYTES_, unsigned BEFORE_,
          unsigned AFTER_, bool FLIP_ = false, unsigned N_>
LL_DEVICE auto ll_file_rename_(const ll_file_<N_> &f, unsigned flip = 0) {
    constexpr unsigned words =
        ll_word_count_(AT_::value.n, AFTER_, 8 * BYTES_);
    constexpr bool four = BEFORE_ == 2 && AFTER_ == 2 && AT_::value.n > 2 &&
                          ll_word_rank_(&AT_::value, 2, 2) == 2;
    constexpr unsigned high = four ? ll_half_bit_(&AT_::value) : 0;
    const ll_seq_below_<words> each;
    if constexpr (high != 0) {
        return ll_file_fetch_all_<V_, ll_half_of_<AT_, high, 1>, BYTES_, 2, 2,
                                  false, true>(
            ll_file_fetch_all_<V_, ll_half_of_<AT_, high, 0>, BYTES_, 2, 2,
                               FLIP_, false>(f, flip, each),
            0, each);
    } else {
        return ll_file_fetch_all_<V_, AT_, BYTES_, BEFORE_, AFTER_, FLIP_,
                                  false>(f, flip, each);
    }
}

/* Returns nonzero if an odd number of the bits in thread & MASK are set. */
template <unsigned MASK_> LL_DEVICE unsigned ll_is_odd_(unsigned thread) {
    unsigned x = thread & MASK_;
    if constexpr ((MASK_ & (MASK_ - 1u)) != 0) {
        x ^= x >> 16;
        x ^= x >> 8;
        x ^= x >> 4;
        x = 0x6996u >> (x & 15u) & 1u;
    }
    return x;
}

/* Select K of a step exchanges words whose numbers differ by `by`, in threads
 * where thread & `mask` has an odd number of bits. */
template <class S_, unsigned K_> struct ll_select_ {
    enum : unsigned {
        by = S_::value.at.reg[K_] >> S_::value.pack,
        mask = S_::value.at.place[K_]
    };
};

template <class V_, unsigned BY_, unsigned PARTS_, unsigned N_, unsigned... W_>
LL_DEVICE ll_file_<N_> ll_select_all_(const ll_file_<N_> &f, unsigned on,
                                      ll_seq_<W_...>) {
    constexpr unsigned low = (BY_ & (0u - BY_)) * PARTS_;
    return {{V_::template choose<(W_ & low) != 0>(
        f.w[W_], f.w[(W_ / PARTS_ ^ BY_) * PARTS_ + W_ % PARTS_], on)...}};
}

/* Executes the selects of step S from number K on. */
template <class V_, class S_, unsigned PARTS_, unsigned K_ = 0, unsigned N_>
LL_DEVICE ll_file_<N_> ll_file_selects_(const ll_file_<N_> &f,
                                        unsigned thread) {
    if constexpr (K_ < S_::value.at.n) {
        return ll_file_selects_<V_, S_, PARTS_, K_ + 1>(
            ll_select_all_<V_, ll_select_<S_, K_>::by, PARTS_>(
                f, ll_is_odd_<ll_select_<S_, K_>::mask>(thread),
                ll_seq_below_<N_>()),
            thread);
    } else {
        return f;
    }
}

/* Word W of a shuffle's result. word: the word that is sent. lane: XORed into
 * the number of the lane that sends it. */
template <class S_, unsigned PARTS_, unsigned W_> struct ll_round_ {
    enum : unsigned {
        p = W_ / PARTS_ << S_::value.pack,
        word = (ll_registers(&S_::value.at, p) >> S_::value.pack) * PARTS_ +
               W_ % PARTS_,
        lane = ll_places(&S_::value.at, p)
    };
};

/* Returns whether a map on lanes is the identity, apart from an XOR. */
LL_FN int ll_adds_(const ll_map *m, unsigned lanes) {
    return m->n == 1u && m->shift[0] == 0 && m->mask[0] == lanes - 1u;
}

/* The hops of a round that reads from lane map ^ PLACE. */
template <class V_, class S_, unsigned PLACE_> struct ll_hops_at_ {
    static constexpr ll_hops value =
        ll_hops_of(S_::value.thread, PLACE_, S_::value.hops, V_::lanes);
};

/* Moves word x by the hops from K on. A swap takes x twice and keeps one. */
template <class V_, class H_, unsigned K_ = 0>
LL_DEVICE unsigned ll_hopped_(unsigned x, unsigned thread) {
    if constexpr (K_ < H_::value.n) {
        constexpr unsigned hop = H_::value.hop[K_];
        constexpr unsigned long long control = H_::value.control[K_];
        if constexpr (hop == LL_HOP_SWAP) {
            unsigned a = x;
            unsigned b = x;
            V_::template swap<(unsigned)control>(a, b);
            x = thread & (unsigned)control ? a : b;
        } else {
            x = V_::template hop<hop, control>(x);
        }
        return ll_hopped_<V_, H_, K_ + 1>(x, thread);
    } else {
        return x;
    }
}

/* Returns whether a round is executed by hops; a target may have none. */
template <class V_, class S_, unsigned PLACE_>
LL_FN bool ll_has_hops_() {
    if constexpr (S_::value.hops != 0) {
        constexpr ll_hops hops = ll_hops_at_<V_, S_, PLACE_>::value;
        return hops.n == 0 || hops.hop[0] != LL_HOP_ANY;
    } else {
        return false;
    }
}

/* Returns word x of lane `lane` ^ LANE, where `lane` is the map's value at this
 * thread. If the map only ADDS lanes, the source lane is computed from this
 * thread's own number. On targets with hops that is a plain shuffle: the plan
 * has already decided which rounds use hops. */
template <class V_, class S_, bool ADDS_, unsigned LANE_>
LL_DEVICE unsigned ll_shuffle_word_(unsigned x, unsigned lane,
                                    unsigned thread) {
    if constexpr (ll_has_hops_<V_, S_, LANE_>()) {
        return ll_hopped_<V_, ll_hops_at_<V_, S_, LANE_>>(x, thread);
    } else if constexpr (!ADDS_) {
        return V_::shuffle(x, lane ^ LANE_);
    } else if constexpr (S_::value.hops != 0) {
        return V_::shuffle(x, thread ^ LANE_ ^ ll_map_numbers_<S_>::offset);
    } else if constexpr ((LANE_ ^ ll_map_numbers_<S_>::offset) != 0) {
        return V_::template exchange<LANE_ ^ ll_map_numbers_<S_>::offset>(x);
    } else {
        return x;
    }
}

template <class V_, class S_, unsigned PARTS_, unsigned N_, unsigned... W_>
LL_DEVICE ll_file_<sizeof...(W_)>
ll_shuffle_(const ll_file_<N_> &f, unsigned thread, ll_seq_<W_...>) {
    constexpr bool adds = ll_adds_(&S_::value.thread, V_::lanes);
    const unsigned lane = adds ? 0u : ll_thread_at_<S_>(thread);
    return {{ll_shuffle_word_<V_, S_, adds, ll_round_<S_, PARTS_, W_>::lane>(
        f.w[ll_round_<S_, PARTS_, W_>::word], lane, thread)...}};
}

#define LL_OTHER_TARGET_                                                    \
    "ll: the plan uses instructions of its target (matrix accesses, "       \
    "copies, clusters) that the GPU compiled for lacks: LL_TARGET_HERE is "  \
    "the target of that GPU"

/* Returns the words of access G; ll_words_flat_: of all accesses, a file. */
template <unsigned PER_, unsigned G_, unsigned N_, unsigned... W_>
LL_DEVICE ll_words ll_access_words_(const ll_file_<N_> &f, ll_seq_<W_...>) {
    return {{f.w[G_ * PER_ + W_]...}};
}

template <unsigned PER_, unsigned G_, unsigned... W_>
LL_DEVICE ll_file_<sizeof...(W_)> ll_words_flat_(const ll_words (&v)[G_],
                                                 ll_seq_<W_...>) {
    return {{v[W_ / PER_].w[W_ % PER_]...}};
}

/* Returns the address of position P in shared memory. Bits that depend on the
 * thread are XORed; others are added, as immediates. */
template <class S_, unsigned P_>
LL_DEVICE unsigned ll_address_at_(unsigned thread, unsigned smem) {
    return (thread ^ ll_position_<S_, P_>::moved) + smem +
           ll_position_<S_, P_>::fixed;
}

template <class V_, class S_, unsigned N_, unsigned... G_>
LL_DEVICE void ll_store_all_(const ll_file_<N_> &f, unsigned thread,
                             unsigned smem, ll_seq_<G_...>) {
    constexpr unsigned form = S_::value.form;
    constexpr bool can = (unsigned)V_::stores >> form & 1u;
    static_assert(can, LL_OTHER_TARGET_);
    if constexpr (can) {
        const unsigned at = ll_thread_at_<S_>(thread);
        if ((thread & S_::spare) == 0) {
            (V_::template put<form, S_::bytes>(
                 ll_address_at_<S_, G_ * S_::vector>(at, smem),
                 ll_access_words_<S_::per, G_>(f, ll_seq_below_<S_::per>())),
             ...);
        }
    }
}

/* Loads position P from the memory of the thread's own block. If the step reads
 * other blocks, the bits of the place above the byte offset say which block.
 * base: start of the memory that position 0 reads. */
template <class V_, class S_, unsigned P_>
LL_DEVICE ll_words ll_take_one_(unsigned thread, unsigned smem,
                                unsigned base) {
    if constexpr (S_::value.dsmem == 0) {
        return V_::template take<S_::value.form, S_::bytes>(
            ll_address_at_<S_, P_>(thread, base));
    } else {
        constexpr unsigned byte = (1u << S_::value.dsmem) - 1u;
        constexpr unsigned block =
            ll_position_<S_, P_>::place >> S_::value.dsmem;
        if constexpr (block != 0) {
            base = V_::dsmem(smem, thread >> S_::value.dsmem ^ block);
        }
        return V_::template take_dsmem<S_::bytes>(
            ((thread & byte) ^ (ll_position_<S_, P_>::moved & byte)) + base +
            (ll_position_<S_, P_>::fixed & byte));
    }
}

/* Loads all positions. Loads from other blocks end with a cluster barrier: no
 * block exits or stores again while others still load. */
template <class V_, class S_, unsigned... G_>
LL_DEVICE ll_file_<S_::per * sizeof...(G_)>
ll_take_all_(unsigned thread, unsigned smem, ll_seq_<G_...>) {
    constexpr bool far = S_::value.dsmem != 0;
    constexpr bool can = far ? V_::clusters != 0
                             : (unsigned)V_::loads >> S_::value.form & 1u;
    static_assert(can, LL_OTHER_TARGET_);
    if constexpr (can) {
        const unsigned at = ll_thread_at_<S_>(thread);
        unsigned base = smem;
        if constexpr (far) {
            base = V_::dsmem(smem, at >> S_::value.dsmem);
        }
        const ll_words v[] = {
            ll_take_one_<V_, S_, G_ * S_::vector>(at, smem, base)...};
        if constexpr (far) {
            V_::wait_cluster();
        }
        return ll_words_flat_<S_::per>(
            v, ll_seq_below_<S_::per * sizeof...(G_)>());
    } else {
        return {{0}};
    }
}

/* Returns the thread number with the block's rank in the bits from RANK on.
 * Plans and layouts that do not depend on the rank have RANK 0. */
template <class V_, unsigned RANK_>
LL_DEVICE unsigned ll_thread_ranked_(unsigned thread) {
    if constexpr (RANK_ != 0) {
        return thread | V_::block() << RANK_;
    } else {
        return thread;
    }
}

/* Takes the words in the order of the positions, then swaps each word P of the
 * first half with its partner in the second half, between lanes. */
template <class V_, class S_, unsigned PARTS_, unsigned N_, unsigned... W_,
          unsigned... P_>
LL_DEVICE ll_file_<sizeof...(W_)>
ll_swap_all_(const ll_file_<N_> &f, ll_seq_<W_...>, ll_seq_<P_...>) {
    constexpr unsigned lane = S_::value.at.place[S_::value.at.n - 1];
    ll_file_<sizeof...(W_)> g = {{f.w[ll_round_<S_, PARTS_, W_>::word]...}};
    (V_::template swap<lane>(g.w[P_], g.w[P_ + sizeof...(P_)]), ...);
    return g;
}

/* Executes the barrier of operation OP. */
template <class V_, unsigned OP_> LL_DEVICE void ll_barrier_wait_() {
    if constexpr (OP_ == LL_OP_SYNC_WARP) {
        V_::wait_warp();
    } else if constexpr (OP_ == LL_OP_SYNC_BLOCK) {
        V_::wait_block();
    } else {
        V_::wait_cluster();
    }
}

/* Executes step S and returns the file after it. Words hold 2^BEFORE elements
 * of BYTES bytes before the step and 2^AFTER after it. */
template <class V_, class S_, unsigned BYTES_, unsigned BEFORE_,
          unsigned AFTER_, unsigned N_>
LL_DEVICE auto ll_do_(const ll_file_<N_> &f, unsigned thread, unsigned smem) {
    constexpr unsigned op = S_::value.op;
    constexpr unsigned parts = ll_element_words_(8 * BYTES_);
    constexpr unsigned words =
        ll_word_count_(S_::value.bits, AFTER_, 8 * BYTES_);
    if constexpr (op == LL_OP_RENAME) {
        constexpr unsigned flip = S_::value.flip;
        return ll_file_rename_<V_, ll_at_<S_>, BYTES_, BEFORE_, AFTER_,
                               flip != 0>(
            f, ll_is_odd_<flip>(thread)
                   ? ll_flip_of_(S_::value.flip_by, BYTES_, BEFORE_)
                   : 0u);
    } else if constexpr (op == LL_OP_SELECT) {
        return ll_file_selects_<V_, S_, parts>(f, thread);
    } else if constexpr (op == LL_OP_SHUFFLE) {
        return ll_shuffle_<V_, S_, parts>(f, thread, ll_seq_below_<words>());
    } else if constexpr (op == LL_OP_SWAP) {
        return ll_swap_all_<V_, S_, parts>(f, ll_seq_below_<words>(),
                                           ll_seq_below_<words / 2>());
    } else if constexpr (op == LL_OP_LOAD) {
        return ll_take_all_<V_, S_>(thread, smem, typename S_::each());
    } else {
        if constexpr (op == LL_OP_STORE) {
            ll_store_all_<V_, S_>(f, thread, smem, typename S_::each());
        } else {
            ll_barrier_wait_<V_, op>();
        }
        return f;
    }
}

/* Executes steps K to END - 1 of a plan. LAST: log2 of the elements per
 * word. */
template <class V_, class PLAN_, unsigned K_, unsigned END_, unsigned BEFORE_,
          unsigned LAST_, unsigned N_>
LL_DEVICE auto ll_steps_(const ll_file_<N_> &f, unsigned thread,
                         unsigned smem) {
    if constexpr (K_ < END_) {
        typedef ll_move_<ll_step_of_<PLAN_, K_>> step;
        constexpr unsigned after =
            K_ + 1 == LL_GET(PLAN_).n     ? LAST_
            : ll_is_sync_(step::value.op) ? BEFORE_
                                          : step::value.pack;
        return ll_steps_<V_, PLAN_, K_ + 1, END_, after, LAST_>(
            ll_do_<V_, step, LL_GET(PLAN_).element_bits / 8, BEFORE_, after>(
                f, thread, smem),
            thread, smem);
    } else {
        return f;
    }
}

/* Returns part P of a file, N words long. */
template <unsigned P_, unsigned N_, unsigned M_, unsigned... W_>
LL_DEVICE ll_file_<N_> ll_pass_part_(const ll_file_<M_> &f, ll_seq_<W_...>) {
    return {{f.w[P_ * N_ + W_]...}};
}

/* Executes pass P of several through shared memory. */
template <class V_, class PLAN_, unsigned P_, unsigned N_>
LL_DEVICE auto ll_pass_(const ll_file_<N_> &f, unsigned thread,
                        unsigned smem) {
    typedef ll_move_<ll_step_of_<PLAN_, 1>> store;
    typedef ll_move_<ll_step_of_<PLAN_, 3>> load;
    constexpr unsigned wait = LL_GET(PLAN_).step[2].op;
    constexpr unsigned n = N_ >> LL_GET(PLAN_).passes;
    if constexpr (P_ != 0 && load::value.dsmem == 0) {
        ll_barrier_wait_<V_, wait>();
    }
    ll_store_all_<V_, store>(ll_pass_part_<P_, n>(f, ll_seq_below_<n>()),
                             thread, smem, typename store::each());
    ll_barrier_wait_<V_, wait>();
    return ll_take_all_<V_, load>(thread, smem, typename load::each());
}

template <unsigned N_, unsigned P_, unsigned... W_>
LL_DEVICE ll_file_<N_ * P_> ll_joined_(const ll_file_<N_> (&part)[P_],
                                       ll_seq_<W_...>) {
    return {{part[W_ / N_].w[W_ % N_]...}};
}

template <class V_, class PLAN_, unsigned N_, unsigned... P_>
LL_DEVICE auto ll_all_passes_(const ll_file_<N_> &f, unsigned thread,
                              unsigned smem, ll_seq_<P_...>) {
    typedef ll_move_<ll_step_of_<PLAN_, 3>> load;
    constexpr unsigned n = load::per * load::groups;
    const ll_file_<n> part[] = {
        ll_pass_<V_, PLAN_, P_>(f, thread, smem)...};
    return ll_joined_(part, ll_seq_below_<n * sizeof...(P_)>());
}

/* Executes all steps of a plan, and all passes between its two renamings. */
template <class V_, class PLAN_, unsigned BEFORE_, unsigned LAST_, unsigned N_>
LL_DEVICE auto ll_whole_plan_(const ll_file_<N_> &f, unsigned thread,
                              unsigned smem) {
    if constexpr (LL_GET(PLAN_).passes == 0) {
        return ll_steps_<V_, PLAN_, 0, LL_GET(PLAN_).n, BEFORE_, LAST_>(
            f, thread, smem);
    } else {
        return ll_steps_<V_, PLAN_, 4, 5, LL_GET(PLAN_).step[3].pack, LAST_>(
            ll_all_passes_<V_, PLAN_>(
                ll_steps_<V_, PLAN_, 0, 1, BEFORE_, 0>(f, thread, smem),
                thread, smem, ll_seq_below_<(1u << LL_GET(PLAN_).passes)>()),
            thread, smem);
    }
}

/* An array T a[N] of registers with 2^BITS elements, one per array element or
 * packed in words of 32 bits. HOW: how 4-bit elements, which are pairs in the
 * array, are rearranged before or after the steps of a plan. */
template <class T_, unsigned N_, unsigned BITS_, unsigned ELEMENT_BITS_,
          unsigned HOW_ = LL_STAY>
struct ll_registers_of_ : ll_array_<T_, N_> {
    typedef ll_array_<T_, N_> array;
    enum : unsigned {
        constant = ll_is_same_<T_, const T_>::value,
        most = ll_elements_per_word_(ELEMENT_BITS_),
        pack = most < BITS_ ? most : BITS_,
        held = HOW_ == LL_APART ? BITS_ - 1u : BITS_,
        needed = sizeof(T_) == 4 && ELEMENT_BITS_ != 32
                     ? ll_word_count_(held, pack < held ? pack : held,
                                      ELEMENT_BITS_)
                     : 1u << held
    };
    template <class V_> LL_DEVICE auto take(const T_ *a) {
        return ll_nibbles_before_<V_, HOW_, BITS_>(
            array::read(a, typename array::each()));
    }
    template <class V_, unsigned M_>
    LL_DEVICE void put(T_ *a, const ll_file_<M_> &f) {
        array::write(a, ll_nibbles_after_<V_, HOW_, BITS_>(f),
                     typename array::each());
    }
};

/* Each asserts that an array is what a call needs, and returns whether it is.
 * The compiler's note prints the numbers given_ and needed_. */
#define LL_NEEDS_(name, text)                                               \
    template <unsigned given_, unsigned needed_> LL_FN bool name() {        \
        static_assert(given_ == needed_, "ll: " text);                      \
        return given_ == needed_;                                           \
    }
LL_NEEDS_(ll_length_is_, "the array has given_ elements below, but must have "
                         "needed_: LL_REGS of its layout, or LL_WORDS words")
LL_NEEDS_(ll_regs_are_, "the array has given_ elements below, but must have "
                        "needed_: LL_REGS of its layout")
LL_NEEDS_(ll_word_is_, "an element of the array has given_ bits below, but "
                       "must have needed_, or be a word of 32 bits")
LL_NEEDS_(ll_bits_are_, "an element of the array has given_ bits below, but "
                        "must have needed_, the plan's element bits")
#undef LL_NEEDS_

/* Asserts that 32-bit elements are not given where other bits are needed. */
#define LL_BITS_ARE_NOT_(bits)                                              \
    static_assert(BITS_ != bits,                                            \
                  "ll: an element of the array has 32 bits, of src, dst "   \
                  "or the plan " #bits ": convert first, as by LL_CAST");
template <unsigned BITS_> LL_FN bool ll_bits_are_others_() {
    LL_BITS_ARE_NOT_(8)
    LL_BITS_ARE_NOT_(16)
    LL_BITS_ARE_NOT_(64)
    LL_BITS_ARE_NOT_(128)
    return false;
}
#undef LL_BITS_ARE_NOT_

template <class ARRAY_, unsigned ELEMENT_BITS_>
LL_FN bool ll_array_fits_() {
    static_assert(!ARRAY_::constant,
                  "ll: the array to fill must not have const elements");
    if constexpr (ARRAY_::constant) {
        return false;
    } else if constexpr (ARRAY_::size == 4 && ELEMENT_BITS_ != 32 &&
                         ARRAY_::count == 1u << ARRAY_::held &&
                         ARRAY_::count != ARRAY_::needed + 0u) {
        return ll_bits_are_others_<ELEMENT_BITS_>();
    } else if constexpr (ARRAY_::size == 4 ||
                         8u * ARRAY_::size == ELEMENT_BITS_) {
        return ll_length_is_<ARRAY_::count, ARRAY_::needed>();
    } else {
        return ll_word_is_<8u * ARRAY_::size, ELEMENT_BITS_>();
    }
}

/* Returns whether the constant NAME is a T without an error. */
template <class NAME_, class T_> LL_FN bool ll_constant_is_good_() {
    if constexpr (ll_is_a_<NAME_, T_>::value) {
        constexpr bool good = LL_GET(NAME_).err == LL_OK;
        return good;
    } else {
        return false;
    }
}

/* Asserts that a constant has the type that a call needs. If it has an error,
 * that was reported at its declaration. */
#define LL_WANTS_CONSTANT_(NAME, type, text)                                \
    static_assert(ll_is_a_<NAME, type>::value, "ll: " text)

/* Returns whether LAYOUT is a valid layout of registers. Asserts that a valid
 * layout has no inputs but register, lane, warp and block. */
template <class LAYOUT_> LL_FN bool ll_has_registers_() {
    if constexpr (ll_constant_is_good_<LAYOUT_, ll_layout>()) {
        return ll_inputs_of_<LAYOUT_>::known != 0;
    } else {
        return false;
    }
}

/* Converts array a to array b. */
template <class V_, class PLAN_, class T_, unsigned N_, class U_, unsigned M_>
LL_DEVICE void ll_convert_by_(U_ (&b)[M_], const T_ (&a)[N_], unsigned thread,
                              unsigned smem) {
    constexpr unsigned bits = LL_GET(PLAN_).element_bits;
    typedef ll_registers_of_<T_, N_, LL_GET(PLAN_).from_bits, bits,
                             LL_GET(PLAN_).before>
        from;
    typedef ll_registers_of_<U_, M_, LL_GET(PLAN_).to_bits, bits,
                             LL_GET(PLAN_).after>
        to;
    constexpr bool fit =
        ll_array_fits_<from, bits>() && ll_array_fits_<to, bits>();
    constexpr bool alike = LL_GET(PLAN_).n || from::pack + 0u == to::pack + 0u;
    static_assert(alike || !fit,
                  "ll: if nothing moves, both arrays must be packed alike");
    if constexpr (fit && alike) {
        to::template put<V_>(
            b, ll_whole_plan_<V_, PLAN_, from::pack, to::pack>(
                   from::template take<V_>(a),
                   ll_thread_ranked_<V_, LL_GET(PLAN_).rank>(thread), smem));
    }
}

template <class VENDOR_, class PLAN_, class T_, unsigned N_, class U_,
          unsigned M_>
LL_DEVICE void ll_convert_(U_ (&b)[M_], const T_ (&a)[N_], unsigned smem) {
    LL_WANTS_CONSTANT_(PLAN_, ll_plan,
                       "LL_CONVERT takes the name of a plan of LL_PLAN");
    if constexpr (ll_constant_is_good_<PLAN_, ll_plan>()) {
        typedef ll_moves_<VENDOR_, LL_GET(PLAN_).lanes> moves;
        LL_ENTER_MOVE_(moves, LL_GET(PLAN_).threads, LL_GET(PLAN_).lanes);
        ll_convert_by_<moves, PLAN_>(b, a, moves::thread(), smem);
    }
}

/* Returns whether a plan can be split into a store and a load. */
template <class PLAN_> LL_FN bool ll_has_halves_() {
    LL_WANTS_CONSTANT_(
        PLAN_, ll_plan,
        "LL_STORE_SHARED and LL_LOAD_SHARED take the name of a plan of "
        "LL_PLAN");
    if constexpr (ll_constant_is_good_<PLAN_, ll_plan>()) {
        static_assert(LL_GET(PLAN_).kind >= LL_SHARED,
                      "ll: the plan does not go through shared memory");
        static_assert(LL_GET(PLAN_).passes == 0,
                      "ll: the plan has several passes: use LL_CONVERT");
        constexpr bool halves =
            LL_GET(PLAN_).kind >= LL_SHARED && LL_GET(PLAN_).passes == 0;
        return halves;
    } else {
        return false;
    }
}

/* The halves of a plan through shared memory, split at its barrier. */
template <class V_, class PLAN_, class T_, unsigned N_>
LL_DEVICE void ll_store_half_(const T_ (&a)[N_], unsigned smem) {
    constexpr unsigned bits = LL_GET(PLAN_).element_bits;
    typedef ll_registers_of_<T_, N_, LL_GET(PLAN_).from_bits, bits,
                             LL_GET(PLAN_).before>
        from;
    if constexpr (ll_array_fits_<from, bits>()) {
        ll_steps_<V_, PLAN_, 0, 2, from::pack, 0>(
            from::template take<V_>(a), V_::thread(), smem);
    }
}

template <class V_, class PLAN_, class U_, unsigned M_>
LL_DEVICE void ll_load_half_(U_ (&b)[M_], unsigned smem) {
    constexpr unsigned bits = LL_GET(PLAN_).element_bits;
    typedef ll_registers_of_<U_, M_, LL_GET(PLAN_).to_bits, bits,
                             LL_GET(PLAN_).after>
        to;
    if constexpr (ll_array_fits_<to, bits>()) {
        const ll_file_<1> none = {{0}};
        to::template put<V_>(
            b,
            ll_steps_<V_, PLAN_, 3, 5, 0, to::pack>(
                none, ll_thread_ranked_<V_, LL_GET(PLAN_).rank>(V_::thread()),
                smem));
    }
}

/* While a half runs, the emulator knows its memory: for each bit of each
 * coordinate, the offset in shared memory that it contributes, in bits. */
#if LL_EMULATE
template <class M_>
LL_FN M_ ll_half_memory_(const ll_layout &memory, unsigned bits) {
    const ll_layout x = ll_inv(memory);
    M_ m = LL_ZERO;
    for (unsigned d = 0; d < x.in.n && !x.err; ++d) {
        for (unsigned k = 0; k < x.in.bits[d]; ++k, ++m.n) {
            m.dim[m.n] = d;
            m.bit[m.n] = k;
            m.to[m.n] = x.basis[m.n] * bits;
        }
    }
    return m;
}
template <class V_, class PLAN_> struct ll_half_through_ {
    static constexpr typename V_::memory value =
        ll_half_memory_<typename V_::memory>(LL_GET(PLAN_).memory,
                                             LL_GET(PLAN_).element_bits);
};
#define LL_HALF_(V_, PLAN_, is_load)                                        \
    V_::half(&ll_half_through_<V_, PLAN_>::value, is_load)
#define LL_HALF_END_(V_) V_::half(nullptr, 0)
#else
#define LL_HALF_(V_, PLAN_, is_load) (void)0
#define LL_HALF_END_(V_) (void)0
#endif

template <class VENDOR_, class PLAN_, class T_, unsigned N_>
LL_DEVICE void ll_store_shared_(const T_ (&a)[N_], unsigned smem) {
    if constexpr (ll_has_halves_<PLAN_>()) {
        typedef ll_moves_<VENDOR_, LL_GET(PLAN_).lanes> moves;
        LL_ENTER_MOVE_(moves, LL_GET(PLAN_).threads, LL_GET(PLAN_).lanes);
        LL_HALF_(moves, PLAN_, 0);
        ll_store_half_<moves, PLAN_>(a, smem);
        LL_HALF_END_(moves);
    }
}

template <class VENDOR_, class PLAN_, class U_, unsigned M_>
LL_DEVICE void ll_load_shared_(U_ (&b)[M_], unsigned smem) {
    if constexpr (ll_has_halves_<PLAN_>()) {
        typedef ll_moves_<VENDOR_, LL_GET(PLAN_).lanes> moves;
        LL_ENTER_MOVE_(moves, LL_GET(PLAN_).threads, LL_GET(PLAN_).lanes);
        LL_HALF_(moves, PLAN_, 1);
        ll_load_half_<moves, PLAN_>(b, smem);
        LL_HALF_END_(moves);
    }
}

LL_NO_MOVE_(ll_convert_, "LL_CONVERT(b, a, PLAN, smem): b and a must be "
            "arrays, not pointers")
LL_NO_MOVE_(ll_store_shared_, "LL_STORE_SHARED(a, PLAN, smem): a must "
            "be an array, not a pointer")
LL_NO_MOVE_(ll_load_shared_, "LL_LOAD_SHARED(b, PLAN, smem): b must be "
            "an array, not a pointer")

/* LL_CONVERT(b, a, PLAN, smem): converts registers a, in the plan's first
 * layout, to registers b, in its second. All threads of the block, or of the
 * scope of an LL_IN, call it; their number is the LL_THREADS of the larger
 * layout.
 *
 * If the smaller layout has n warps, warp w is assumed to hold copies of the
 * elements of warp w mod n. For FROM, load such copies by a layout that has
 * them, LL_LAYOUT(ALL, ll_resize_in(LL_GET(FROM), LL_WARP, warps)). If those
 * warps hold anything else, each side needs its own plan through one memory
 * (see Scopes).
 *
 * smem points to LL_SMEM_BYTES(PLAN) bytes of shared memory, 16-byte aligned.
 * If that memory was in use before, the caller synchronises the block first.
 * The warp is enough if both plans are of one tensor and type and themselves
 * synchronise only the warp (LL_OP_SYNC_WARP).
 *
 * A plan of kind LL_CLUSTER (sm_90) needs a kernel with clusters of
 * LL_BLOCKS(LAYOUT) blocks. All blocks call LL_CONVERT, with smem at the same
 * address in each. It returns after all of them have loaded.
 *
 * LL_STORE_SHARED(a, PLAN, smem) and LL_LOAD_SHARED(b, PLAN, smem) are the
 * halves of LL_CONVERT, for kernels that put other work or another barrier
 * between them. With a cluster's plan LL_LOAD_SHARED ends with a cluster
 * barrier, as LL_CONVERT does. */
#define LL_CONVERT(b, a, PLAN, smem)                                        \
    LL_MOVE_(ll_convert_, PLAN, smem)(b, a, LL_SHARED_ADDRESS_(smem))
#define LL_STORE_SHARED(a, PLAN, smem)                                      \
    LL_MOVE_(ll_store_shared_, PLAN, smem)(a, LL_SHARED_ADDRESS_(smem))
#define LL_LOAD_SHARED(b, PLAN, smem)                                       \
    LL_MOVE_(ll_load_shared_, PLAN, smem)(b, LL_SHARED_ADDRESS_(smem))

#endif

/* ---- kernel/reduce: Reductions in kernels ----------------------------- */

/* Combines elements, with the words, steps and exchanges of conversions. */

#ifdef LL_DEVICE

/* The values of a lane during a reduction or a scan: N of type T. */
template <class T_, unsigned N_> struct ll_values_ {
    T_ v[N_];
};

template <class RED_> struct ll_first_of_ {
    static constexpr ll_tree value = LL_GET(RED_).first;
};

template <class RED_> struct ll_second_of_ {
    static constexpr ll_tree value = LL_GET(RED_).second;
};

/* Plans that are parts of others: the conversion between warps of a reduction
 * or a scan and, below, the two conversions of a turned scan. */
template <class PLAN_> struct ll_plan_between_ {
    LL_CONSTANT_ ll_plan get() { return LL_GET(PLAN_).between; }
};

/* Of a reduction across blocks: the conversion between blocks, and the
 * reduction that each block then executes. */
template <class RED_> struct ll_far_of_ {
    LL_CONSTANT_ ll_plan get() {
        return ll_plan_of(LL_GET(RED_).far, LL_GET(RED_).near,
                          LL_GET(RED_).element_bits, LL_GET(RED_).target);
    }
};

template <class RED_> struct ll_near_of_ {
    LL_CONSTANT_ ll_reduce_plan get() {
        return ll_reduce_of(LL_GET(RED_).near, LL_GET(RED_).axis,
                            LL_GET(RED_).element_bits, LL_GET(RED_).target);
    }
};

template <class SCAN_> struct ll_plan_there_ {
    LL_CONSTANT_ ll_plan get() { return LL_GET(SCAN_).there; }
};

template <class SCAN_> struct ll_plan_back_ {
    LL_CONSTANT_ ll_plan get() { return LL_GET(SCAN_).back; }
};

/* The register at position P of a tree; ll_result_: position of result P. */
template <class TREE_, unsigned P_> struct ll_leaf_ {
    enum : unsigned {
        reg = ll_vectors_xor_(TREE_::value.reg,
                              TREE_::value.n + TREE_::value.own, P_)
    };
};

template <class RED_, unsigned P_> struct ll_result_ {
    enum : unsigned {
        at = ll_vectors_xor_(LL_GET(RED_).reg, LL_GET(RED_).to_bits, P_)
    };
};

/* Returns the words of lane (own lane) ^ LANE. ll_values_other_ returns its
 * values. Values of fewer than 32 bits share words. */
template <class V_, unsigned LANE_, unsigned N_, unsigned... W_>
LL_DEVICE ll_file_<N_> ll_exchanged_(const ll_file_<N_> &f, ll_seq_<W_...>) {
    return {{V_::template exchange<LANE_>(f.w[W_])...}};
}

template <class V_, unsigned LANE_, class T_, unsigned N_>
LL_DEVICE ll_values_<T_, N_> ll_values_other_(const ll_values_<T_, N_> &f) {
    if constexpr (LANE_ != 0) {
        typedef ll_array_<T_, N_> all;
        ll_values_<T_, N_> y = f;
        const typename all::each words = {};
        all::write(y.v,
                   ll_exchanged_<V_, LANE_>(all::read(f.v, words), words),
                   words);
        return y;
    } else {
        return f;
    }
}

template <class TREE_, class T_, unsigned N_, unsigned... P_>
LL_DEVICE ll_values_<T_, sizeof...(P_)> ll_leaves_(const T_ (&a)[N_],
                                                   ll_seq_<P_...>) {
    return {{a[ll_leaf_<TREE_, P_>::reg]...}};
}

/* Combines the upper half of the values into the lower half. */
template <class T_, unsigned N_, class OP_, unsigned... P_>
LL_DEVICE ll_values_<T_, N_ / 2> ll_values_halve_(const ll_values_<T_, N_> &f,
                                                  OP_ op, ll_seq_<P_...>) {
    return {{op(f.v[P_], f.v[P_ + N_ / 2])...}};
}

/* Executes round K of a tree. */
template <class V_, class TREE_, unsigned K_, class T_, unsigned N_, class OP_,
          unsigned... P_>
LL_DEVICE ll_values_<T_, N_> ll_one_round_(const ll_values_<T_, N_> &f, OP_ op,
                                           ll_seq_<P_...>) {
    constexpr unsigned with = TREE_::value.with[K_];
    constexpr unsigned lane = TREE_::value.lane[K_];
    const ll_values_<T_, N_> other = ll_values_other_<V_, lane>(f);
    return {{op(f.v[P_], other.v[P_ ^ with])...}};
}

/* Returns the lower or the upper half of the values; ll_two_halves_: both. */
template <class T_, unsigned N_, unsigned... P_>
LL_DEVICE ll_values_<T_, sizeof...(P_)>
ll_half_at_(const ll_values_<T_, N_> &f, bool upper, ll_seq_<P_...>) {
    return {{(upper ? f.v[P_ + N_ / 2] : f.v[P_])...}};
}

template <class T_, unsigned N_, unsigned... P_>
LL_DEVICE ll_values_<T_, sizeof...(P_)>
ll_two_halves_(const ll_values_<T_, N_> &own, const ll_values_<T_, N_> &other,
               bool upper, ll_seq_<P_...>) {
    return {{((P_ >= N_) == upper ? own.v[P_ % N_] : other.v[P_ % N_])...}};
}

template <class T_, unsigned N_, class OP_, unsigned... P_>
LL_DEVICE ll_values_<T_, N_> ll_each_of_(const ll_values_<T_, N_> &f,
                                         const ll_values_<T_, N_> &g, OP_ op,
                                         ll_seq_<P_...>) {
    return {{op(f.v[P_], g.v[P_])...}};
}

/* Named operations. A target may have an instruction for each of them that
 * combines the words of all lanes of a warp. */
enum : unsigned {
    LL_IS_ADD_ = 1,
    LL_IS_MIN_,
    LL_IS_MAX_,
    LL_IS_AND_,
    LL_IS_OR_,
    LL_IS_XOR_
};

template <unsigned IS_> struct ll_op_number_ {};
#define LL_NAMED_OP_(is, expression)                                        \
    template <class T_>                                                     \
    LL_HOST_DEVICE_ constexpr auto ll_by_op_(ll_op_number_<is>,             \
                                             const T_ &x, const T_ &y)      \
        -> decltype((T_)(expression)) {                                     \
        return (T_)(expression);                                            \
    }
LL_NAMED_OP_(LL_IS_ADD_, x + y)
LL_NAMED_OP_(LL_IS_MIN_, y < x ? y : x)
LL_NAMED_OP_(LL_IS_MAX_, x < y ? y : x)
LL_NAMED_OP_(LL_IS_AND_, x & y)
LL_NAMED_OP_(LL_IS_OR_, x | y)
LL_NAMED_OP_(LL_IS_XOR_, x ^ y)
#undef LL_NAMED_OP_

template <unsigned IS_> struct ll_named_op_ {
    template <class T_>
    LL_HOST_DEVICE_ constexpr auto operator()(const T_ &x, const T_ &y) const
        -> decltype(ll_by_op_(ll_op_number_<IS_>(), x, y)) {
        return ll_by_op_(ll_op_number_<IS_>(), x, y);
    }
};

/* Operations of reductions and scans, such as ll_add() for LL_REDUCE. */
LL_FN ll_named_op_<LL_IS_ADD_> ll_add() { return {}; }
LL_FN ll_named_op_<LL_IS_MIN_> ll_min() { return {}; }
LL_FN ll_named_op_<LL_IS_MAX_> ll_max() { return {}; }
LL_FN ll_named_op_<LL_IS_AND_> ll_and() { return {}; }
LL_FN ll_named_op_<LL_IS_OR_> ll_or() { return {}; }
LL_FN ll_named_op_<LL_IS_XOR_> ll_xor() { return {}; }

template <class OP_> struct ll_op_of_ { enum : unsigned { is = 0 }; };
template <unsigned IS_> struct ll_op_of_<ll_named_op_<IS_>> {
    enum : unsigned { is = IS_ };
};

/* Returns whether a tree combines all 32 lanes, position by position. */
LL_FN bool ll_is_warp_wide_(const ll_tree *tree) {
    unsigned with = 0;
    for (unsigned k = 0; k < tree->lanes; ++k) {
        with |= tree->with[k];
    }
    return tree->lanes == 5u && with == 0;
}

/* Returns whether one instruction executes all rounds, of 32-bit integers. */
template <class V_, class TREE_, class T_, class OP_>
LL_FN bool ll_by_redux_() {
    return V_::reduces != 0 && ll_op_of_<OP_>::is != 0 &&
           (ll_is_same_<T_, unsigned>::value || ll_is_same_<T_, int>::value) &&
           ll_is_warp_wide_(&TREE_::value);
}

template <class V_, class OP_, class T_, unsigned N_, unsigned... P_>
LL_DEVICE ll_values_<T_, N_> ll_redux_(const ll_values_<T_, N_> &f,
                                       ll_seq_<P_...>) {
    return {{(T_)V_::template redux<ll_op_of_<OP_>::is,
                                    ll_is_same_<T_, int>::value>(
        (unsigned)f.v[P_])...}};
}

/* Returns the values in the order of the other lane of a round. */
template <unsigned WITH_, class T_, unsigned N_, unsigned... P_>
LL_DEVICE ll_values_<T_, N_> ll_turned_(const ll_values_<T_, N_> &f,
                                        ll_seq_<P_...>) {
    return {{f.v[P_ ^ (WITH_ & (N_ - 1))]...}};
}

/* Returns whether a lane keeps the upper half in split round K. */
template <class V_, class TREE_, unsigned K_> LL_DEVICE bool ll_upper_() {
    constexpr unsigned lane = TREE_::value.lane[K_];
    constexpr unsigned bit = TREE_::value.with[K_] ? 0u : lane & (~lane + 1u);
    return bit != 0 && (V_::thread() & bit) != 0;
}

/* Returns the part of the results of all positions that a lane keeps. */
template <class V_, class TREE_, unsigned K_, class T_, unsigned N_>
LL_DEVICE auto ll_kept_(const ll_values_<T_, N_> &f) {
    if constexpr (TREE_::value.alone != 0 && K_ < TREE_::value.split) {
        return ll_kept_<V_, TREE_, K_ + 1>(ll_half_at_(
            f, ll_upper_<V_, TREE_, K_>(), ll_seq_below_<N_ / 2>()));
    } else {
        return f;
    }
}

/* Combines halves HALVES times, then executes the rounds from K on. In a split
 * round, both lanes keep the lower half, or a lane bit selects it. */
template <class V_, class TREE_, unsigned HALVES_, unsigned K_, class T_,
          unsigned N_, class OP_>
LL_DEVICE auto ll_values_rounds_(const ll_values_<T_, N_> &f, OP_ op) {
    if constexpr (HALVES_ != 0) {
        return ll_values_rounds_<V_, TREE_, HALVES_ - 1, K_>(
            ll_values_halve_(f, op, ll_seq_below_<N_ / 2>()), op);
    } else if constexpr (K_ == 0 && ll_by_redux_<V_, TREE_, T_, OP_>()) {
        return ll_kept_<V_, TREE_, 0>(
            ll_redux_<V_, OP_>(f, ll_seq_below_<N_>()));
    } else if constexpr (K_ < TREE_::value.split) {
        constexpr unsigned with = TREE_::value.with[K_];
        constexpr unsigned lane = TREE_::value.lane[K_];
        const ll_seq_below_<N_ / 2> half;
        const bool upper = ll_upper_<V_, TREE_, K_>();
        const auto sent = ll_turned_<with>(
            ll_values_other_<V_, lane>(ll_half_at_(f, !upper, half)), half);
        const auto own = ll_values_rounds_<V_, TREE_, 0, K_ + 1>(
            ll_each_of_(ll_half_at_(f, upper, half), sent, op, half), op);
        if constexpr (TREE_::value.alone != 0) {
            return own;
        } else {
            return ll_two_halves_(
                own, ll_turned_<with>(ll_values_other_<V_, lane>(own), half),
                upper, ll_seq_below_<N_>());
        }
    } else if constexpr (K_ < TREE_::value.lanes) {
        return ll_values_rounds_<V_, TREE_, 0, K_ + 1>(
            ll_one_round_<V_, TREE_, K_>(f, op, ll_seq_below_<N_>()), op);
    } else {
        return f;
    }
}

template <class V_, class TREE_, class T_, unsigned N_, class OP_>
LL_DEVICE auto ll_array_combine_(const T_ (&a)[N_], OP_ op) {
    return ll_values_rounds_<V_, TREE_, TREE_::value.own, 0>(
        ll_leaves_<TREE_>(
            a, ll_seq_below_<(1u << (TREE_::value.n + TREE_::value.own))>()),
        op);
}

template <class RED_, class T_, unsigned N_, unsigned M_, unsigned... R_>
LL_DEVICE void ll_values_hand_out_(T_ (&b)[M_], const ll_values_<T_, N_> &f,
                                   ll_seq_<R_...>) {
    ((b[R_] = f.v[ll_result_<RED_, R_>::at]), ...);
}

/* Executes the barrier between two halves, if data crosses warps. */
template <class V_, class PLAN_> LL_DEVICE void ll_barrier_between_() {
    if constexpr (LL_GET(PLAN_).crosses != 0) {
        ll_barrier_wait_<V_, LL_GET(PLAN_).between.step[2].op>();
    }
}

/* Reduces within each warp and, if the plan crosses warps, stores the results.
 * After the barrier, ll_reduce_between_ reduces across warps. */
template <class V_, class RED_, class T_, unsigned N_, class OP_>
LL_DEVICE auto ll_reduce_first_(const T_ (&a)[N_], unsigned smem, OP_ op) {
    const auto f = ll_array_combine_<V_, ll_first_of_<RED_>>(a, op);
    if constexpr (LL_GET(RED_).crosses != 0) {
        ll_store_half_<V_, ll_plan_between_<RED_>>(f.v, smem);
    }
    return f;
}

template <class V_, class RED_, class T_, unsigned N_, class OP_>
LL_DEVICE auto ll_reduce_between_(const ll_values_<T_, N_> &f, unsigned smem,
                                  OP_ op) {
    if constexpr (LL_GET(RED_).crosses != 0) {
        ll_values_<T_, 1u << LL_GET(RED_).between.to_bits> all;
        ll_load_half_<V_, ll_plan_between_<RED_>>(all.v, smem);
        return ll_array_combine_<V_, ll_second_of_<RED_>>(all.v, op);
    } else {
        return f;
    }
}

/* Combines the results of the blocks of a cluster. */
template <class V_, class RED_, class T_, unsigned N_, class OP_>
LL_DEVICE auto ll_reduce_far_(const ll_values_<T_, N_> &f, unsigned smem,
                              OP_ op) {
    if constexpr (LL_GET(RED_).reaches != 0) {
        typedef ll_near_of_<RED_> near;
        ll_values_<T_, 1u << LL_GET(near).from_bits> all;
        ll_convert_by_<V_, ll_far_of_<RED_>>(all.v, f.v, V_::thread(),
                                             smem + LL_GET(RED_).far_at);
        const unsigned at = smem + LL_GET(RED_).near_at;
        const auto g = ll_reduce_first_<V_, near>(all.v, at, op);
        ll_barrier_between_<V_, near>();
        const auto h = ll_reduce_between_<V_, near>(g, at, op);
        ll_values_<T_, N_> result;
        ll_values_hand_out_<near>(result.v, h, ll_seq_below_<N_>());
        return result;
    } else {
        return f;
    }
}

template <class V_, class RED_, class T_, unsigned N_, unsigned M_, class OP_>
LL_DEVICE void ll_reduce_second_(T_ (&b)[M_], const ll_values_<T_, N_> &f,
                                 unsigned smem, OP_ op) {
    ll_values_hand_out_<RED_>(
        b,
        ll_reduce_far_<V_, RED_>(ll_reduce_between_<V_, RED_>(f, smem, op),
                                 smem, op),
        ll_seq_below_<M_>());
}

/* Whether OP takes two elements of T and returns what converts to R. */
template <class R_> LL_HOST_DEVICE_ void ll_converts_to_(R_) {}
template <class OP_, class T_, class R_> struct ll_combines_ {
    template <class F_, class = decltype(ll_converts_to_<R_>((*(F_ *)0)(
                            *(const T_ *)0, *(const T_ *)0)))>
    LL_HOST_DEVICE_ static char test(int);
    template <class F_> LL_HOST_DEVICE_ static long test(long);
    enum : bool { value = sizeof(test<OP_>(0)) == 1 };
};
template <class OP_, class T_> LL_FN bool ll_is_op_() {
    typedef ll_combines_<OP_, T_, T_> combines;
    static_assert(combines::value,
                  "ll: the operation after smem must be a function of two "
                  "elements of the arrays' type that returns one, or ll_add(), "
                  "ll_min() and so on, with their parentheses");
    return combines::value;
}

/* Asserts that RED is a reduction without an error, of elements of T, from N
 * registers to M, and returns whether it is. Zeros are not checked. */
template <class RED_, class T_, unsigned N_, unsigned M_>
LL_FN bool ll_reduces_() {
    LL_WANTS_CONSTANT_(RED_, ll_reduce_plan,
                       "LL_REDUCE takes the name of a plan of LL_REDUCE_PLAN");
    if constexpr (ll_constant_is_good_<RED_, ll_reduce_plan>()) {
        constexpr unsigned from = 1u << LL_GET(RED_).from_bits;
        constexpr unsigned to = 1u << LL_GET(RED_).to_bits;
        constexpr bool bits =
            ll_bits_are_<8 * sizeof(T_), LL_GET(RED_).element_bits>();
        constexpr bool taken = ll_regs_are_<N_ ? N_ : from, from>();
        constexpr bool given = ll_regs_are_<M_ ? M_ : to, to>();
        return bits && taken && given;
    } else {
        return false;
    }
}

template <class VENDOR_, class RED_, class T_, unsigned N_, class OP_>
LL_DEVICE auto ll_reduce_store_(const T_ (&a)[N_], unsigned smem, OP_ op) {
    if constexpr (ll_reduces_<RED_, T_, N_, 0>()) {
        typedef ll_moves_<VENDOR_, LL_GET(RED_).lanes> moves;
        LL_ENTER_MOVE_(moves, LL_GET(RED_).threads, LL_GET(RED_).lanes);
        if constexpr (ll_is_op_<OP_, T_>()) {
            return ll_reduce_first_<moves, RED_>(a, smem, op);
        } else {
            return ll_values_<T_, 1>{{a[0]}};
        }
    } else {
        return ll_values_<T_, 1>{{a[0]}};
    }
}

template <class VENDOR_, class RED_, class T_, unsigned N_, unsigned M_,
          class OP_>
LL_DEVICE void ll_reduce_load_(T_ (&b)[M_], const ll_values_<T_, N_> &f,
                               unsigned smem, OP_ op) {
    if constexpr (ll_reduces_<RED_, T_, 0, M_>() && ll_is_op_<OP_, T_>()) {
        ll_reduce_second_<ll_moves_<VENDOR_, LL_GET(RED_).lanes>, RED_>(
            b, f, smem, op);
    }
}

template <class VENDOR_, class RED_, class T_, unsigned N_, unsigned M_,
          class OP_>
LL_DEVICE void ll_reduce_array_(T_ (&b)[M_], const T_ (&a)[N_], unsigned smem,
                                OP_ op) {
    if constexpr (ll_reduces_<RED_, T_, N_, M_>() && ll_is_op_<OP_, T_>()) {
        typedef ll_moves_<VENDOR_, LL_GET(RED_).lanes> moves;
        LL_ENTER_MOVE_(moves, LL_GET(RED_).threads, LL_GET(RED_).lanes);
        const auto f = ll_reduce_first_<moves, RED_>(a, smem, op);
        ll_barrier_between_<moves, RED_>();
        ll_reduce_second_<moves, RED_>(b, f, smem, op);
    }
}

/* For register R of the layout: the register with its line's result. */
template <class RED_, unsigned R_> struct ll_line_of_ {
    enum : unsigned { at = ll_bits_close_(R_, ~LL_GET(RED_).kept) };
};

template <class RED_, class T_, class U_, unsigned N_, unsigned M_,
          unsigned... R_>
LL_DEVICE void ll_spread_all_(U_ (&c)[N_], const T_ (&b)[M_],
                              ll_seq_<R_...>) {
    ((c[R_] = b[ll_line_of_<RED_, R_>::at]), ...);
}

template <class RED_, class T_, class U_, unsigned N_, unsigned M_>
LL_DEVICE void ll_array_spread_(U_ (&c)[N_], const T_ (&b)[M_]) {
    LL_WANTS_CONSTANT_(RED_, ll_reduce_plan,
                       "LL_SPREAD takes the name of a plan of LL_REDUCE_PLAN");
    if constexpr (ll_constant_is_good_<RED_, ll_reduce_plan>()) {
        if constexpr (ll_regs_are_<N_, 1u << LL_GET(RED_).from_bits>() &
                      ll_regs_are_<M_, 1u << LL_GET(RED_).to_bits>()) {
            ll_spread_all_<RED_>(c, b, ll_seq_below_<N_>());
        }
    }
}

template <class VENDOR_, class RED_, class T_, unsigned N_, unsigned M_,
          class OP_>
LL_DEVICE void ll_reduce_each_(T_ (&c)[M_], const T_ (&a)[N_], unsigned smem,
                               OP_ op) {
    if constexpr (ll_reduces_<RED_, T_, N_, 0>()) {
        T_ b[1u << LL_GET(RED_).to_bits];
        ll_reduce_array_<VENDOR_, RED_>(b, a, smem, op);
        ll_array_spread_<RED_>(c, b);
    }
}

LL_NO_MOVE_(ll_reduce_array_,
            "LL_REDUCE(b, a, PLAN, smem, op): b and a must be arrays "
            "of one type, not pointers, and op an operation")
LL_NO_MOVE_(ll_reduce_each_, "LL_REDUCE_EACH(c, a, PLAN, smem, op): c and a "
            "must be arrays of one type, not pointers, and op an operation")

/* LL_REDUCE(b, a, REDUCTION, smem, op): combines registers a, in the
 * reduction's layout, along the axis into registers b, in the layout that
 * ll_reduce returns. smem is as for LL_CONVERT. If the axis is distributed over
 * the layout's `block` (sm_90), the whole cluster takes part, as in LL_CONVERT.
 *
 * a, b and op have one element type. It may be a struct of up to 16 bytes, so
 * that one pass combines a maximum and the sum of exponentials relative to it,
 * a mean and its moments, or a value and its index.
 *
 * op(x, y) is a function of two elements, such as a lambda. ll_add(), ll_min(),
 * ll_max(), ll_and(), ll_or() and ll_xor() are operations. For int and unsigned
 * they combine the lanes of a warp by one instruction if the target has it
 * (sm_80 and later). Which operand is x is not specified: if op(x, y) and op(y,
 * x) have the same bits, so have all copies of a result. No identity element is
 * padded in, so the sum of -0.0 is -0.0, and op alone decides how it treats a
 * NaN.
 *
 * LL_REDUCE_EACH(c, a, REDUCTION, smem, op) also broadcasts the results back to
 * the elements: c[r] is the result of the line of a[r], as softmax needs it.
 * LL_SPREAD(c, b, REDUCTION) is this second part alone, for values computed
 * from the results b of LL_REDUCE. It moves no data between lanes.
 *
 * Reductions, scans and gathers also have halves. The first half stores to smem
 * and returns the state that it keeps in registers. The second half continues
 * after a barrier that the caller provides. Other work fits between them:
 *
 *     const auto state = LL_REDUCE_STORE(a, REDUCTION, smem, op);
 *     ..
 *     LL_SYNC();
 *     LL_REDUCE_LOAD(b, state, REDUCTION, smem, op); */
#define LL_REDUCE(b, a, REDUCTION, smem, ...)                               \
    LL_MOVE_(ll_reduce_array_, REDUCTION, smem)(                            \
        b, a, LL_SHARED_ADDRESS_(smem), LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_REDUCE_EACH(c, a, REDUCTION, smem, ...)                          \
    LL_MOVE_(ll_reduce_each_, REDUCTION, smem)(                             \
        c, a, LL_SHARED_ADDRESS_(smem), LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_SPREAD(c, b, REDUCTION) ll_array_spread_<LL_TYPE_(REDUCTION)>(c, b)
#define LL_REDUCE_STORE(a, REDUCTION, smem, ...)                            \
    LL_MOVE_(ll_reduce_store_, REDUCTION, smem)(                            \
        a, LL_SHARED_ADDRESS_(smem), LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_REDUCE_LOAD(b, state, REDUCTION, smem, ...)                      \
    LL_MOVE_(ll_reduce_load_, REDUCTION, smem)(                             \
        b, state, LL_SHARED_ADDRESS_(smem), LL_OPTIONAL_ARG_(__VA_ARGS__))

#endif

/* ---- kernel/scan: Scans in kernels ------------------------------------ */

#ifdef LL_DEVICE

/* The map of a scan from the thread number to the coordinate along the axis. */
template <class SCAN_> struct ll_scan_map_ {
    LL_CONSTANT_ ll_map map() { return LL_GET(SCAN_).thread; }
};

template <class SCAN_, unsigned K_> struct ll_level_of_ {
    enum : unsigned {
        with = LL_GET(SCAN_).level[K_].with,
        lane = LL_GET(SCAN_).level[K_].lane,
        gone = LL_GET(SCAN_).level[K_].gone,
        above =
            LL_GET(SCAN_).level[K_ < LL_GET(SCAN_).levels ? K_ + 1 : K_].gone,
        size = 1u << (LL_GET(SCAN_).n - ll_popcount_(gone)),
        size_above = 1u << (LL_GET(SCAN_).n - ll_popcount_(above))
    };
};

/* Position P of level K. x: its coordinate along the axis. sibling: its
 * sibling. up: the position of the next level that covers it. down: the first
 * position that position P of the next level covers. line: its line. */
template <class SCAN_, unsigned K_, unsigned P_> struct ll_spot_of_ {
    typedef ll_level_of_<SCAN_, K_> level;
    enum : unsigned {
        open = ll_bits_open_(P_, level::gone),
        x = ll_vectors_xor_(LL_GET(SCAN_).x, LL_GET(SCAN_).n, open),
        sibling = ll_bits_close_(open ^ (level::with + 0u), level::gone),
        up = ll_bits_close_(open & (level::above & ~level::gone) + 0u
                                ? open ^ (level::with + 0u)
                                : open + 0u,
                            level::above),
        down = ll_bits_close_(ll_bits_open_(P_, level::above), level::gone),
        line = ll_vectors_xor_(LL_GET(SCAN_).line, LL_GET(SCAN_).n, P_)
    };
};

/* The position of register R, and its coordinate along the axis. */
template <class SCAN_, unsigned R_> struct ll_scanned_ {
    enum : unsigned {
        at = ll_vectors_xor_(LL_GET(SCAN_).at, LL_GET(SCAN_).bits, R_),
        x = ll_vectors_xor_(LL_GET(SCAN_).x, LL_GET(SCAN_).n, at)
    };
};

template <class SCAN_, unsigned P_> struct ll_scan_leaf_ {
    enum : unsigned {
        reg = ll_vectors_xor_(LL_GET(SCAN_).reg, LL_GET(SCAN_).n, P_)
    };
};

template <class SCAN_, class T_, unsigned N_, unsigned... P_>
LL_DEVICE ll_values_<T_, sizeof...(P_)> ll_scan_in_(const T_ (&a)[N_],
                                                    ll_seq_<P_...>) {
    return {{a[ll_scan_leaf_<SCAN_, P_>::reg]...}};
}

/* Returns the totals of the siblings of positions P. */
template <class V_, class SCAN_, unsigned K_, class T_, unsigned N_,
          unsigned... P_>
LL_DEVICE ll_values_<T_, N_> ll_siblings_(const ll_values_<T_, N_> &f,
                                          ll_seq_<P_...>) {
    constexpr unsigned lane = ll_level_of_<SCAN_, K_>::lane;
    const ll_values_<T_, N_> other = ll_values_other_<V_, lane>(f);
    return {{other.v[ll_spot_of_<SCAN_, K_, P_>::sibling]...}};
}

/* Combines two totals in their order along the axis. */
template <class T_, class OP_>
LL_DEVICE T_ ll_in_order_(const T_ &x, const T_ &y, unsigned swap, OP_ op) {
    return op(swap ? y : x, swap ? x : y);
}

template <class SCAN_, unsigned K_, class T_, unsigned N_, class OP_,
          unsigned... P_>
LL_DEVICE ll_values_<T_, sizeof...(P_)>
ll_totals_(const ll_values_<T_, N_> &f, const ll_values_<T_, N_> &sibling,
           unsigned x, OP_ op, ll_seq_<P_...>) {
    return {{ll_in_order_(
        f.v[ll_spot_of_<SCAN_, K_, P_>::down],
        sibling.v[ll_spot_of_<SCAN_, K_, P_>::down],
        (x ^ ll_spot_of_<SCAN_, K_, ll_spot_of_<SCAN_, K_, P_>::down>::x) >>
                K_ &
            1u,
        op)...}};
}

/* Returns the prefix before a total of level K: the prefix before the total
 * above it, followed by the sibling's total if the sibling comes first. MORE:
 * the axis has bits above K. The value is arbitrary if nothing comes before. */
template <bool MORE_, unsigned K_, class T_, class OP_>
LL_DEVICE T_ ll_before_(const T_ &above, const T_ &sibling, unsigned x,
                        OP_ op) {
    T_ lower = sibling;
    if constexpr (MORE_) {
        const T_ both = op(above, sibling);
        lower = x >> K_ > 1u ? both : sibling;
    }
    return x >> K_ & 1u ? lower : above;
}

template <class SCAN_, unsigned K_, class T_, unsigned N_, unsigned M_,
          class OP_, unsigned... P_>
LL_DEVICE ll_values_<T_, N_>
ll_befores_(const ll_values_<T_, M_> &above, const ll_values_<T_, N_> &sibling,
            unsigned x, OP_ op, ll_seq_<P_...>) {
    constexpr bool more = K_ + 1 < LL_GET(SCAN_).axis;
    return {{ll_before_<more, K_>(above.v[ll_spot_of_<SCAN_, K_, P_>::up],
                                  sibling.v[P_],
                                  x ^ ll_spot_of_<SCAN_, K_, P_>::x, op)...}};
}

/* Combines the totals of N lines, from number J on: ll_next_sum_ adds the next
 * total of each line. Position P, at coordinate x, takes the totals before
 * it. */
template <unsigned J_, class T_, unsigned N_, unsigned M_, class OP_,
          unsigned... Z_>
LL_DEVICE ll_values_<T_, N_>
ll_next_sum_(const ll_values_<T_, N_> &sum, const ll_values_<T_, M_> &all,
             OP_ op, ll_seq_<Z_...>) {
    return {{op(sum.v[Z_], all.v[J_ * N_ + Z_])...}};
}

template <class SCAN_, unsigned J_, class T_, unsigned N_, unsigned M_,
          unsigned... P_>
LL_DEVICE ll_values_<T_, M_> ll_take_sum_(const ll_values_<T_, N_> &sum,
                                          const ll_values_<T_, M_> &before,
                                          unsigned x, ll_seq_<P_...>) {
    constexpr unsigned k = LL_GET(SCAN_).levels;
    return {{((x ^ ll_spot_of_<SCAN_, k, P_>::x) >> k > J_
                  ? sum.v[ll_spot_of_<SCAN_, k, P_>::line]
                  : before.v[P_])...}};
}

template <class SCAN_, unsigned J_, class T_, unsigned N_, unsigned A_,
          unsigned M_, class OP_>
LL_DEVICE ll_values_<T_, M_>
ll_sum_lines_(const ll_values_<T_, N_> &sum, const ll_values_<T_, A_> &all,
              const ll_values_<T_, M_> &before, unsigned x, OP_ op) {
    if constexpr (J_ < (1u << LL_GET(SCAN_).crosses) - 1u) {
        const auto more = ll_next_sum_<J_>(sum, all, op, ll_seq_below_<N_>());
        return ll_sum_lines_<SCAN_, J_ + 1>(
            more, all,
            ll_take_sum_<SCAN_, J_>(more, before, x, ll_seq_below_<M_>()), x,
            op);
    } else {
        return before;
    }
}

/* Returns each line's first total; ll_of_lines_: a value per position. */
template <class T_, unsigned A_, unsigned... Z_>
LL_DEVICE ll_values_<T_, sizeof...(Z_)>
ll_lowest_lines_(const ll_values_<T_, A_> &all, ll_seq_<Z_...>) {
    return {{all.v[Z_]...}};
}

template <class SCAN_, class T_, unsigned N_, unsigned... P_>
LL_DEVICE ll_values_<T_, sizeof...(P_)>
ll_of_lines_(const ll_values_<T_, N_> &sum, ll_seq_<P_...>) {
    constexpr unsigned k = LL_GET(SCAN_).levels;
    return {{sum.v[ll_spot_of_<SCAN_, k, P_>::line]...}};
}

/* The siblings' totals of a level and those above; then the last totals. */
template <class SIBLING_, class ABOVE_> struct ll_climbed_ {
    SIBLING_ sibling;
    ABOVE_ above;
};

/* Computes the totals from level K up. If warps share a line, the totals of the
 * last level are stored to shared memory, for the warps after this one. */
template <class V_, class SCAN_, unsigned K_, class T_, unsigned N_, class OP_>
LL_DEVICE auto ll_climb_(const ll_values_<T_, N_> &f, unsigned x,
                         unsigned smem, OP_ op) {
    if constexpr (K_ < LL_GET(SCAN_).levels) {
        const auto sibling =
            ll_siblings_<V_, SCAN_, K_>(f, ll_seq_below_<N_>());
        auto above = ll_climb_<V_, SCAN_, K_ + 1>(
            ll_totals_<SCAN_, K_>(
                f, sibling, x, op,
                ll_seq_below_<ll_level_of_<SCAN_, K_>::size_above>()),
            x, smem, op);
        return ll_climbed_<ll_values_<T_, N_>, decltype(above)>{sibling,
                                                                above};
    } else {
        if constexpr (LL_GET(SCAN_).crosses != 0) {
            ll_store_half_<V_, ll_plan_between_<SCAN_>>(f.v, smem);
        }
        return f;
    }
}

/* Returns the prefix before each total of level K. After the levels of a warp,
 * it combines the totals of the warps before it. */
template <class V_, class SCAN_, unsigned K_, class T_, unsigned N_, class OP_>
LL_DEVICE ll_values_<T_, N_> ll_descend_(const ll_values_<T_, N_> &f,
                                         unsigned x, unsigned smem, OP_ op) {
    if constexpr (LL_GET(SCAN_).crosses != 0) {
        ll_values_<T_, 1u << LL_GET(SCAN_).between.to_bits> all;
        ll_load_half_<V_, ll_plan_between_<SCAN_>>(all.v, smem);
        const auto sum =
            ll_lowest_lines_(all, ll_seq_below_<(1u << LL_GET(SCAN_).lines)>());
        return ll_sum_lines_<SCAN_, 1>(
            sum, all, ll_of_lines_<SCAN_>(sum, ll_seq_below_<N_>()), x, op);
    } else {
        return f;
    }
}

template <class V_, class SCAN_, unsigned K_, class T_, unsigned N_,
          class ABOVE_, class OP_>
LL_DEVICE ll_values_<T_, N_>
ll_descend_(const ll_climbed_<ll_values_<T_, N_>, ABOVE_> &f, unsigned x,
            unsigned smem, OP_ op) {
    return ll_befores_<SCAN_, K_>(
        ll_descend_<V_, SCAN_, K_ + 1>(f.above, x, smem, op), f.sibling, x, op,
        ll_seq_below_<N_>());
}

/* What a scan writes for an element. Inclusive: the prefix combined with the
 * element. Exclusive: the prefix, or `first` without one. */
template <class OP_> struct ll_scan_with_own_ {
    OP_ op;
    template <class T_>
    LL_DEVICE T_ of(const ll_scan_with_own_ &s, const T_ &before, const T_ &own,
                    bool any) {
        const T_ both = s.op(before, own);
        return any ? both : own;
    }
};

template <class T_> struct ll_scan_without_own_ {
    T_ first;
    LL_DEVICE T_ of(const ll_scan_without_own_ &s, const T_ &before, const T_ &,
                    bool any) {
        return any ? before : s.first;
    }
};

template <class SCAN_, class END_, class T_, unsigned N_, unsigned M_,
          unsigned... R_>
LL_DEVICE void ll_scan_out_(T_ (&b)[M_], const ll_values_<T_, N_> &f,
                            const ll_values_<T_, N_> &own, unsigned x,
                            const END_ &end, ll_seq_<R_...>) {
    ((b[R_] = END_::of(end, f.v[ll_scanned_<SCAN_, R_>::at],
                       own.v[ll_scanned_<SCAN_, R_>::at],
                       x != (ll_scanned_<SCAN_, R_>::x + 0u))),
     ...);
}

/* The halves of a scan. The state between them is an ll_climbed_. */
template <class V_, class SCAN_, class T_, unsigned N_, class OP_>
LL_DEVICE auto ll_scan_first_(const T_ (&a)[N_], unsigned smem, OP_ op) {
    auto own = ll_scan_in_<SCAN_>(a, ll_seq_below_<(1u << LL_GET(SCAN_).n)>());
    auto above = ll_climb_<V_, SCAN_, 0>(
        own, ll_thread_at_<ll_scan_map_<SCAN_>>(V_::thread()), smem, op);
    return ll_climbed_<decltype(own), decltype(above)>{own, above};
}

template <class V_, class SCAN_, class T_, unsigned M_, class STATE_,
          class OP_, class END_>
LL_DEVICE void ll_scan_second_(T_ (&b)[M_], const STATE_ &state, unsigned smem,
                               OP_ op, const END_ &end) {
    const unsigned x = ll_thread_at_<ll_scan_map_<SCAN_>>(V_::thread());
    ll_scan_out_<SCAN_>(b, ll_descend_<V_, SCAN_, 0>(state.above, x, smem, op),
                        state.sibling, x, end, ll_seq_below_<M_>());
}

template <class V_, class SCAN_, class T_, unsigned N_, unsigned M_, class OP_,
          class END_>
LL_DEVICE void ll_scan_here_(T_ (&b)[M_], const T_ (&a)[N_], unsigned smem,
                             OP_ op, const END_ &end) {
    const auto state = ll_scan_first_<V_, SCAN_>(a, smem, op);
    ll_barrier_between_<V_, SCAN_>();
    ll_scan_second_<V_, SCAN_>(b, state, smem, op, end);
}

/* A turned scan reuses shared memory only after all warps have read it. */
template <class V_, class SCAN_, class T_, unsigned N_, unsigned M_, class OP_,
          class END_>
LL_DEVICE void ll_scan_by_(T_ (&b)[M_], const T_ (&a)[N_], unsigned smem,
                           OP_ op, const END_ &end) {
    if constexpr (LL_GET(SCAN_).turned != 0) {
        ll_values_<T_, 1u << LL_GET(SCAN_).bits> from, to;
        ll_convert_by_<V_, ll_plan_there_<SCAN_>>(from.v, a, V_::thread(),
                                                  smem);
        V_::wait_block();
        ll_scan_here_<V_, SCAN_>(to.v, from.v, smem, op, end);
        if constexpr (LL_GET(SCAN_).crosses != 0) {
            V_::wait_block();
        }
        ll_convert_by_<V_, ll_plan_back_<SCAN_>>(b, to.v, V_::thread(), smem);
    } else {
        ll_scan_here_<V_, SCAN_>(b, a, smem, op, end);
    }
}

template <class VENDOR_, class SCAN_, class T_, unsigned N_, unsigned M_,
          class OP_, class END_>
LL_DEVICE void ll_scan_checked_(T_ (&b)[M_], const T_ (&a)[N_], unsigned smem,
                                OP_ op, const END_ &end) {
    LL_WANTS_CONSTANT_(SCAN_, ll_scan_plan,
                       "LL_SCAN takes the name of a plan of LL_SCAN_PLAN");
    if constexpr (ll_constant_is_good_<SCAN_, ll_scan_plan>()) {
        constexpr unsigned regs = 1u << LL_GET(SCAN_).from_bits;
        constexpr bool typed =
            ll_bits_are_<8 * sizeof(T_), LL_GET(SCAN_).element_bits>();
        constexpr bool sized =
            ll_regs_are_<N_, regs>() & ll_regs_are_<M_, regs>();
        typedef ll_moves_<VENDOR_, LL_GET(SCAN_).lanes> moves;
        LL_ENTER_MOVE_(moves, LL_GET(SCAN_).threads, LL_GET(SCAN_).lanes);
        if constexpr (typed && sized && ll_is_op_<OP_, T_>()) {
            ll_scan_by_<moves, SCAN_>(b, a, smem, op, end);
        }
    }
}

/* Returns whether a scan has halves, and asserts it: a turned scan has none. */
template <class SCAN_> LL_FN bool ll_scans_in_halves_() {
    LL_WANTS_CONSTANT_(
        SCAN_, ll_scan_plan,
        "LL_SCAN_STORE and LL_SCAN_LOAD take the name of a plan of "
        "LL_SCAN_PLAN");
    if constexpr (ll_constant_is_good_<SCAN_, ll_scan_plan>()) {
        static_assert(LL_GET(SCAN_).turned == 0,
                      "ll: LL_SCAN_STORE: this plan scans in another layout, "
                      "with several barriers: use LL_SCAN");
        constexpr bool whole = LL_GET(SCAN_).turned == 0;
        return whole;
    } else {
        return false;
    }
}

template <class VENDOR_, class SCAN_, class T_, unsigned N_, class OP_>
LL_DEVICE auto ll_scan_store_(const T_ (&a)[N_], unsigned smem, OP_ op) {
    if constexpr (ll_scans_in_halves_<SCAN_>()) {
        constexpr bool fits =
            ll_bits_are_<8 * sizeof(T_), LL_GET(SCAN_).element_bits>() &
            ll_regs_are_<N_, 1u << LL_GET(SCAN_).from_bits>();
        typedef ll_moves_<VENDOR_, LL_GET(SCAN_).lanes> moves;
        LL_ENTER_MOVE_(moves, LL_GET(SCAN_).threads, LL_GET(SCAN_).lanes);
        if constexpr (fits && ll_is_op_<OP_, T_>()) {
            return ll_scan_first_<moves, SCAN_>(a, smem, op);
        } else {
            return ll_no_arg_();
        }
    } else {
        return ll_no_arg_();
    }
}

template <class VENDOR_, class SCAN_, class T_, unsigned M_, class STATE_,
          class OP_, class END_>
LL_DEVICE void ll_scan_load_to_(T_ (&b)[M_], const STATE_ &state,
                                unsigned smem, OP_ op, const END_ &end) {
    constexpr bool told = ll_is_same_<STATE_, ll_no_arg_>::value;
    if constexpr (ll_scans_in_halves_<SCAN_>() && !told) {
        ll_scan_second_<ll_moves_<VENDOR_, LL_GET(SCAN_).lanes>, SCAN_>(
            b, state, smem, op, end);
    }
}

template <class VENDOR_, class SCAN_, class T_, unsigned M_, class STATE_,
          class OP_>
LL_DEVICE void ll_scan_load_(T_ (&b)[M_], const STATE_ &state, unsigned smem,
                             OP_ op) {
    const ll_scan_with_own_<OP_> end = {op};
    ll_scan_load_to_<VENDOR_, SCAN_>(b, state, smem, op, end);
}

template <class T_> struct ll_scan_just_ {
    typedef T_ type;
};
template <class VENDOR_, class SCAN_, class T_, unsigned M_, class STATE_,
          class OP_>
LL_DEVICE void ll_scan_load_before_(T_ (&b)[M_], const STATE_ &state,
                                    unsigned smem, OP_ op,
                                    typename ll_scan_just_<T_>::type first) {
    const ll_scan_without_own_<T_> end = {first};
    ll_scan_load_to_<VENDOR_, SCAN_>(b, state, smem, op, end);
}

template <class VENDOR_, class SCAN_, class T_, unsigned N_, unsigned M_,
          class OP_>
LL_DEVICE void ll_scan_array_(T_ (&b)[M_], const T_ (&a)[N_], unsigned smem,
                        OP_ op) {
    const ll_scan_with_own_<OP_> end = {op};
    ll_scan_checked_<VENDOR_, SCAN_>(b, a, smem, op, end);
}

template <class VENDOR_, class SCAN_, class T_, unsigned N_, unsigned M_,
          class OP_>
LL_DEVICE void ll_scan_before_(T_ (&b)[M_], const T_ (&a)[N_], unsigned smem,
                               OP_ op, typename ll_scan_just_<T_>::type first) {
    const ll_scan_without_own_<T_> end = {first};
    ll_scan_checked_<VENDOR_, SCAN_>(b, a, smem, op, end);
}

LL_NO_MOVE_(ll_scan_array_,
            "LL_SCAN(b, a, PLAN, smem, op): b and a must be arrays of "
            "one type, not pointers, and op an operation")
LL_NO_MOVE_(ll_scan_before_,
            "LL_SCAN_BEFORE(b, a, PLAN, smem, op, first): b "
            "and a must be arrays of one type, not pointers, op an operation "
            "and first an element")

/* LL_SCAN(b, a, SCAN, smem, op): an inclusive scan. It combines each element of
 * registers a with all elements before it along the axis, into registers b. In
 * op(x, y), x comes before y.
 *
 * LL_SCAN_BEFORE(b, a, SCAN, smem, op, first): an exclusive scan. It combines
 * only the elements before each element, or writes `first` if there are none.
 *
 * op must have no side effects, since some of its results are not used. No
 * identity element is padded in, so the sum of -0.0 is -0.0, and op alone
 * decides how it treats a NaN. smem is as for LL_CONVERT.
 *
 * The halves are LL_SCAN_STORE(a, SCAN, smem, op), which returns a state, and
 * LL_SCAN_LOAD(b, state, SCAN, smem, op) or LL_SCAN_LOAD_BEFORE(b, state, SCAN,
 * smem, op, first). The caller provides the barrier between them. */
#define LL_SCAN(b, a, SCAN, smem, ...)                                      \
    LL_MOVE_(ll_scan_array_, SCAN, smem)(                                   \
        b, a, LL_SHARED_ADDRESS_(smem), LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_SCAN_BEFORE(b, a, SCAN, smem, ...)                               \
    LL_MOVE_(ll_scan_before_, SCAN, smem)(                                  \
        b, a, LL_SHARED_ADDRESS_(smem), LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_SCAN_STORE(a, SCAN, smem, ...)                                   \
    LL_MOVE_(ll_scan_store_, SCAN, smem)(                                   \
        a, LL_SHARED_ADDRESS_(smem), LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_SCAN_LOAD(b, state, SCAN, smem, ...)                             \
    LL_MOVE_(ll_scan_load_, SCAN, smem)(                                    \
        b, state, LL_SHARED_ADDRESS_(smem), LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_SCAN_LOAD_BEFORE(b, state, SCAN, smem, ...)                      \
    LL_MOVE_(ll_scan_load_before_, SCAN, smem)(                             \
        b, state, LL_SHARED_ADDRESS_(smem), LL_OPTIONAL_ARG_(__VA_ARGS__))

#endif

/* ---- kernel/tiles: Tiles in kernels ----------------------------------- */

/* Loads and stores of a tile in row-major memory. A tile's addresses cost as
 * much as hand-written ones: one address per thread, one multiplication and
 * addition for each further row, and nothing for a column, which is an
 * immediate offset. */

#ifdef LL_DEVICE

/* The renaming between a tile's accesses and registers. BACK: for a load. */
template <class TILE_, unsigned BITS_, int BACK_> struct ll_tile_at_ {
    static constexpr ll_access value =
        BACK_ ? ll_step_back_(&TILE_::value.at, BITS_, 0).at
              : ll_step_forth_(&TILE_::value.at, 0).at;
};

/* Position P of a tile and its predecessor. If P differs from it only by rows
 * downward and by its column, the address is advanced by `step` rows. Otherwise
 * (`first`) it is computed from the thread's element. */
template <class S_, unsigned P_> struct ll_tile_cell_ {
    typedef ll_position_<S_, P_> here;
    typedef ll_position_<S_, P_ ? P_ - S_::vector : 0> before;
    enum : unsigned {
        col_bits = S_::value.col_bits,
        mask = (1u << col_bits) - 1u,
        moved = here::moved,
        right = here::fixed & mask,
        down = here::fixed >> col_bits,
        past = before::fixed >> col_bits,
        first = P_ == 0 || moved != (unsigned)before::moved || down < past,
        step = first ? (unsigned)down : down - past
    };
};

/* address: a position's row, in the column of the thread's element. rows, cols:
 * the rows and columns that the matrix has from that element on. */
typedef struct ll_tile_spot_ {
    unsigned long long address;
    unsigned rows;
    unsigned cols;
} ll_tile_spot_;

/* Returns the spot of the thread's element. V::keep hides the sum from nvcc,
 * which would multiply for each row and column. */
template <class V_, class CELL_, class T_>
LL_DEVICE ll_tile_spot_ ll_spot_at_(unsigned thread, const T_ *base,
                                    unsigned ld, unsigned rows, unsigned cols) {
    const unsigned moved = thread ^ CELL_::moved;
    const unsigned row = moved >> CELL_::col_bits;
    const unsigned col = moved & CELL_::mask;
    ll_tile_spot_ spot = LL_ZERO;
    spot.address = V_::keep(
        (unsigned long long)(base + (unsigned long long)row * ld + col));
    spot.rows = row < rows ? rows - row : 0u;
    spot.cols = col < cols ? cols - col : 0u;
    return spot;
}

/* Advances to position P of a tile. base: its first element. Returns whether
 * the position lies within the rows and columns. */
template <class V_, class S_, unsigned P_, class T_>
LL_DEVICE unsigned ll_next_spot_(ll_tile_spot_ &spot, unsigned thread,
                                 const T_ *base, unsigned ld, unsigned rows,
                                 unsigned cols) {
    typedef ll_tile_cell_<S_, P_> cell;
    constexpr unsigned step = cell::step * (unsigned)sizeof(T_);
    if constexpr (cell::first != 0) {
        spot = ll_spot_at_<V_, cell>(thread, base, ld, rows, cols);
    }
    if constexpr (step != 0) {
        spot.address =
            V_::keep(spot.address + (unsigned long long)ld * step);
    }
    return cell::down < spot.rows && cell::right < spot.cols;
}

template <class S_, unsigned P_, class T_>
LL_DEVICE unsigned long long ll_spot_address_(const ll_tile_spot_ &spot) {
    return spot.address + ll_tile_cell_<S_, P_>::right * (unsigned)sizeof(T_);
}

/* A load or store between an array of U and a tile of elements T: the accesses
 * of the tile, and the registers, 2^bits elements. */
template <class V_, class LAYOUT_, unsigned HOW_, class U_, class T_,
          unsigned N_>
struct ll_tile_move_ {
    static_assert(HOW_ <= (LL_STREAM | LL_WIDE),
                  "ll: how must be 0, LL_STREAM, LL_WIDE or both");
    enum : unsigned {
        widest = HOW_ & LL_WIDE ? V_::widest : 16,
        two = ll_is_b4x2_<T_>::value,
        element = two ? 4u : 8u * sizeof(T_),
        bits = ll_log2_(ll_size(LL_GET(LAYOUT_).in, LL_REGISTER))
    };
    typedef ll_tile_for_<LAYOUT_, element, widest> tile;
    typedef ll_move_<tile> accesses;
    enum : unsigned {
        pack = tile::value.pack,
        held = bits > two ? bits - two : 0u
    };
    typedef ll_registers_of_<U_, N_, held, 8 * sizeof(T_), tile::value.nibble>
        registers;
};

/* Asserts that a lane can hold its part of a tile of T, and returns whether it
 * can. Larger parts would keep the compiler busy for minutes. */
template <class LAYOUT_, class T_> LL_FN bool ll_is_held_() {
    if constexpr (!ll_has_registers_<LAYOUT_>()) {
        return false;
    } else if constexpr (ll_is_same_<const T_, const void>::value) {
        static_assert(sizeof(LAYOUT_) == 0,
                      "ll: src or dst must point to elements, not to void");
        return false;
    } else {
        constexpr unsigned most = ll_is_b4x2_<T_>::value ? 8192 : 4096;
        constexpr bool held = LL_REGS(LAYOUT_) <= most / sizeof(T_);
        static_assert(held,
                      "ll: a lane has more than 4096 bytes of the tile, but "
                      "registers for 1020: use more warps, or parts of the "
                      "tile in turn");
        return held;
    }
}

/* Asserts that an array U[N] fits a tile of T, and returns whether it does. */
template <class MOVE_, class T_, class U_, unsigned N_>
LL_FN bool ll_tile_fits_() {
    constexpr bool pairs = sizeof(T_) == 1 && !MOVE_::two &&
                           N_ != MOVE_::registers::needed &&
                           2u * N_ * sizeof(U_) == 1u << MOVE_::bits;
    static_assert(!pairs,
                  "ll: the array holds 4-bit elements, two per byte, so the "
                  "pointer must be to ll_b4x2; it is to elements of 8 bits");
    if constexpr (pairs) {
        return false;
    } else {
        return ll_array_fits_<typename MOVE_::registers, 8 * sizeof(T_)>();
    }
}

template <class V_, unsigned HOW_, class S_, unsigned P_, class T_>
LL_DEVICE ll_words ll_load_one_(ll_tile_spot_ &spot, unsigned at, const T_ *src,
                                unsigned ld, unsigned rows, unsigned cols) {
    const unsigned on =
        ll_next_spot_<V_, S_, P_>(spot, at, src, ld, rows, cols);
    return V_::template load<HOW_, S_::bytes>(
        ll_spot_address_<S_, P_, T_>(spot), on);
}

template <class V_, unsigned HOW_, class S_, class T_, unsigned... G_>
LL_DEVICE auto ll_load_all_(const T_ *src, unsigned ld, unsigned rows,
                            unsigned cols, ll_seq_<G_...>) {
    const unsigned at = ll_thread_at_<S_>(V_::thread());
    ll_tile_spot_ spot = LL_ZERO;
    const ll_words v[] = {ll_load_one_<V_, HOW_, S_, G_ * S_::vector>(
        spot, at, src, ld, rows, cols)...};
    return ll_words_flat_<S_::per>(v, typename S_::words());
}

template <class VENDOR_, class LAYOUT_, unsigned HOW_, class U_, class T_,
          unsigned N_>
LL_DEVICE void ll_load_tile_(U_ (&a)[N_], const T_ *src, unsigned ld,
                             unsigned rows = ~0u, unsigned cols = ~0u) {
    LL_WANTS_CONSTANT_(LAYOUT_, ll_layout,
                       "LL_LOAD takes the name of a layout of LL_LAYOUT");
    if constexpr (ll_is_held_<LAYOUT_, T_>()) {
        typedef ll_moves_<VENDOR_, 64> moves;
        typedef ll_tile_move_<moves, LAYOUT_, HOW_, U_, T_, N_> move;
        typedef typename move::accesses accesses;
        typedef typename move::registers to;
        LL_ENTER_MOVE_(moves, LL_THREADS(LAYOUT_), 1);
        if constexpr (ll_tile_fits_<move, T_, U_, N_>()) {
            LL_CHECK_COLS_(moves, accesses, T_, cols);
            to::template put<moves>(
                a,
                ll_file_rename_<moves,
                                ll_tile_at_<typename move::tile, move::held, 1>,
                                sizeof(T_), move::pack, to::pack>(
                    ll_load_all_<moves, HOW_, accesses>(
                        src, ld, rows, cols, typename accesses::each())));
        }
    }
}

template <class V_, unsigned HOW_, class S_, unsigned P_, class T_>
LL_DEVICE void ll_store_one_(ll_tile_spot_ &spot, const ll_words &v,
                             unsigned own, unsigned at, T_ *dst, unsigned ld,
                             unsigned rows, unsigned cols) {
    const unsigned on =
        ll_next_spot_<V_, S_, P_>(spot, at, dst, ld, rows, cols);
    V_::template store<HOW_, S_::bytes>(ll_spot_address_<S_, P_, T_>(spot), v,
                                        own && on);
}

template <class V_, unsigned HOW_, class S_, unsigned N_, class T_,
          unsigned... G_>
LL_DEVICE void ll_store_tile_all_(const ll_file_<N_> &f, T_ *dst, unsigned ld,
                                  unsigned rows, unsigned cols,
                                  ll_seq_<G_...>) {
    const unsigned thread = V_::thread();
    const unsigned at = ll_thread_at_<S_>(thread);
    const unsigned own = (thread & S_::spare) == 0;
    ll_tile_spot_ spot = LL_ZERO;
    (ll_store_one_<V_, HOW_, S_, G_ * S_::vector>(
         spot, ll_access_words_<S_::per, G_>(f, ll_seq_below_<S_::per>()), own,
         at, dst, ld, rows, cols),
     ...);
}

template <class VENDOR_, class LAYOUT_, unsigned HOW_, class U_, class T_,
          unsigned N_>
LL_DEVICE void ll_store_tile_(const U_ (&a)[N_], T_ *dst, unsigned ld,
                              unsigned rows = ~0u, unsigned cols = ~0u) {
    LL_WANTS_CONSTANT_(LAYOUT_, ll_layout,
                       "LL_STORE takes the name of a layout of LL_LAYOUT");
    static_assert(!ll_is_same_<T_, const T_>::value,
                  "ll: LL_STORE: dst must not point to const elements");
    if constexpr (ll_is_held_<LAYOUT_, T_>()) {
        typedef ll_moves_<VENDOR_, 64> moves;
        typedef ll_tile_move_<moves, LAYOUT_, HOW_, U_, T_, N_> move;
        typedef typename move::accesses accesses;
        typedef typename move::registers from;
        LL_ENTER_MOVE_(moves, LL_THREADS(LAYOUT_), 1);
        if constexpr (ll_tile_fits_<move, T_, U_, N_>()) {
            LL_CHECK_COLS_(moves, accesses, T_, cols);
            ll_store_tile_all_<moves, HOW_, accesses>(
                ll_file_rename_<moves,
                                ll_tile_at_<typename move::tile, move::held, 0>,
                                sizeof(T_), from::pack, move::pack>(
                    from::template take<moves>(a)),
                dst, ld, rows, cols, typename accesses::each());
        }
    }
}

/* Copies from a tile to shared memory, in place of a plan's store. If MASKED,
 * the copies write zeros beyond the last row and column. */
template <class PLAN_> struct ll_copied_ {
    static constexpr ll_tile value = ll_tile_copied(LL_GET(PLAN_));
    static_assert(value.err != (unsigned)LL_EKIND,
                  "ll: LL_COPY: the plan must store vectors to shared memory "
                  "in one pass: LL_PLAN_BY with LL_COPIES makes such plans");
    static_assert(value.err != (unsigned)LL_EAXES,
                  "ll: LL_COPY: a tile in memory must have one or two axes");
    static_assert(value.err != (unsigned)LL_ECOPY,
                  "ll: LL_COPY: 4, 8 or 16 bytes must be contiguous both in a "
                  "row of the tile and in shared memory: LL_PLAN_BY with "
                  "LL_COPIES makes such plans");
    static_assert(value.err || value.bytes >= LL_GET(PLAN_).step[1].bytes,
                  "ll: LL_COPY: copies must be as wide as the plan's stores, "
                  "which are wider than its pieces of a row: LL_PLAN_BY with "
                  "LL_COPIES makes such plans");
};

template <class V_, bool MASKED_, class S_, class TO_, unsigned P_, class T_>
LL_DEVICE void ll_copy_one_(ll_tile_spot_ &spot, unsigned at, unsigned to,
                            unsigned smem, const T_ *src, unsigned ld,
                            unsigned rows, unsigned cols) {
    const unsigned on =
        ll_next_spot_<V_, S_, P_>(spot, at, src, ld, rows, cols);
    const unsigned long long from = ll_spot_address_<S_, P_, T_>(spot);
    const unsigned address = ll_address_at_<TO_, P_>(to, smem);
    if constexpr (MASKED_) {
        V_::template copy_some<S_::bytes>(address, from, on);
    } else {
        V_::template copy<S_::bytes>(address, from);
    }
}

template <class V_, class PLAN_, bool MASKED_, class T_, unsigned... G_>
LL_DEVICE void ll_copy_all_(unsigned smem, const T_ *src, unsigned ld,
                            unsigned rows, unsigned cols, ll_seq_<G_...>) {
    typedef ll_move_<ll_copied_<PLAN_>> loads;
    typedef ll_move_<ll_step_of_<PLAN_, 1>> stores;
    const unsigned thread = V_::thread();
    const unsigned from = ll_thread_at_<loads>(thread);
    const unsigned to = ll_thread_at_<stores>(thread);
    ll_tile_spot_ spot = LL_ZERO;
    if ((thread & loads::spare) == 0) {
        (ll_copy_one_<V_, MASKED_, loads, stores, G_ * loads::vector>(
             spot, from, to, smem, src, ld, rows, cols),
         ...);
    }
}

template <class VENDOR_, class PLAN_, bool MASKED_, class T_>
LL_DEVICE void ll_copy_tile_by_(unsigned smem, const T_ *src, unsigned ld,
                                unsigned rows, unsigned cols) {
    LL_WANTS_CONSTANT_(PLAN_, ll_plan,
                       "LL_COPY takes the name of a plan of LL_PLAN_BY");
    if constexpr (ll_constant_is_good_<PLAN_, ll_plan>()) {
        typedef ll_moves_<VENDOR_, LL_GET(PLAN_).lanes> moves;
        constexpr bool fits =
            8u * sizeof(T_) == LL_GET(PLAN_).element_bits &&
            ll_is_b4x2_<T_>::value + 0u == LL_GET(PLAN_).nibbles;
        LL_ENTER_MOVE_(moves, LL_GET(PLAN_).threads, 1);
        static_assert(fits,
                      "ll: LL_COPY: the tile's type must have the plan's "
                      "element bits; for 4 bits it is ll_b4x2");
        static_assert(moves::copies, LL_OTHER_TARGET_);
        if constexpr (fits && moves::copies &&
                      ll_copied_<PLAN_>::value.err == LL_OK) {
            LL_CHECK_COLS_(moves, ll_move_<ll_copied_<PLAN_>>, T_,
                           MASKED_ ? cols : ~0u);
            LL_HALF_(moves, PLAN_, 0);
            ll_copy_all_<moves, PLAN_, MASKED_>(
                smem, src, ld, rows, cols,
                typename ll_move_<ll_copied_<PLAN_>>::each());
            LL_HALF_END_(moves);
        }
    }
}

template <class VENDOR_, class PLAN_, class T_>
LL_DEVICE void ll_copy_tile_(unsigned smem, const T_ *src, unsigned ld) {
    ll_copy_tile_by_<VENDOR_, PLAN_, false>(smem, src, ld, ~0u, ~0u);
}

template <class VENDOR_, class PLAN_, class T_>
LL_DEVICE void ll_copy_tile_(unsigned smem, const T_ *src, unsigned ld,
                             unsigned rows, unsigned cols) {
    ll_copy_tile_by_<VENDOR_, PLAN_, true>(smem, src, ld, rows, cols);
}

/* Rows and columns of a signed type: a number below 0, of a block beyond the
 * edge, is 0. Unsigned numbers go to the functions above. */
LL_FN unsigned ll_extent_(unsigned n) { return n; }
template <class T_, class = decltype(ll_extent_(*(T_ *)0))>
struct ll_signed_ {
    typedef decltype(+*(T_ *)0) type;
    enum : bool { value = type(-1) < type(0) };
};
template <bool> struct ll_overload_ {};
template <> struct ll_overload_<true> { typedef void type; };
template <class R_, class C_>
using ll_if_signed_ = typename ll_overload_<(ll_signed_<R_>::value ||
                                             ll_signed_<C_>::value)>::type;
template <class T_> LL_FN unsigned ll_at_least_0_(T_ x) {
    if constexpr (ll_signed_<T_>::value) {
        const typename ll_signed_<T_>::type n = x;
        return n < 0 ? 0u : (unsigned)n;
    } else {
        return x;
    }
}

template <class VENDOR_, class LAYOUT_, unsigned HOW_, class U_, class T_,
          unsigned N_, class R_, class C_ = unsigned,
          class = ll_if_signed_<R_, C_>>
LL_DEVICE void ll_load_tile_(U_ (&a)[N_], const T_ *src, unsigned ld, R_ rows,
                             C_ cols = ~0u) {
    ll_load_tile_<VENDOR_, LAYOUT_, HOW_>(a, src, ld, ll_at_least_0_(rows),
                                          ll_at_least_0_(cols));
}
template <class VENDOR_, class LAYOUT_, unsigned HOW_, class U_, class T_,
          unsigned N_, class R_, class C_ = unsigned,
          class = ll_if_signed_<R_, C_>>
LL_DEVICE void ll_store_tile_(const U_ (&a)[N_], T_ *dst, unsigned ld, R_ rows,
                              C_ cols = ~0u) {
    ll_store_tile_<VENDOR_, LAYOUT_, HOW_>(a, dst, ld, ll_at_least_0_(rows),
                                           ll_at_least_0_(cols));
}
template <class VENDOR_, class PLAN_, class T_, class R_, class C_,
          class = ll_if_signed_<R_, C_>>
LL_DEVICE void ll_copy_tile_(unsigned smem, const T_ *src, unsigned ld, R_ rows,
                             C_ cols) {
    ll_copy_tile_<VENDOR_, PLAN_>(smem, src, ld, ll_at_least_0_(rows),
                                  ll_at_least_0_(cols));
}

LL_NO_TILE_(ll_load_tile_, "LL_LOAD(a, LAYOUT, src, ld [, rows, cols]): a must "
            "be an array, not a pointer, src a pointer to elements, and ld, "
            "rows and cols numbers")
LL_NO_TILE_(ll_store_tile_, "LL_STORE(a, LAYOUT, dst, ld [, rows, cols]): a "
            "must be an array, not a pointer, dst a pointer to elements, and "
            "ld, rows and cols numbers")
LL_NO_MOVE_(ll_copy_tile_,
            "LL_COPY(PLAN, smem, src, ld [, rows, cols]): src "
            "must be a pointer to elements, ld, rows and cols numbers, with "
            "both rows and cols or neither")

/* Macros for tiles in row-major memory.
 *
 * LL_LOAD(a, LAYOUT, src, ld): fills a with a tile of a row-major matrix. src
 * points to the tile's first element. ld is the distance between rows, in
 * elements. LL_LOAD(a, LAYOUT, src, ld, rows, cols) loads only the first rows
 * and cols of the tile and sets the other elements to 0. A layout with one axis
 * is one row: ld has no effect, and rows is 1. LL_STORE(a, LAYOUT, dst, ld [,
 * rows, cols]) stores a tile, one copy of each element. Of a signed type, rows
 * and cols below 0 are taken as 0.
 *
 * src, dst, ld and cols are multiples of LL_VECTOR(LAYOUT, T), the elements of
 * one access: 16 bytes, or fewer if the layout has fewer side by side. A layout
 * that lacks a bit of an axis, such as "register: j0 j2", is valid: only the
 * part of the tile where that bit is 0 is loaded or stored.
 * static_assert(ll_is_surjective(LL_GET(LAYOUT)), "") excludes that. LL_LOAD
 * and LL_STORE take the layout of one block; the kernel adds the start of the
 * block to src or dst.
 *
 * LL_LOAD_BY(a, LAYOUT, how, src, ld [, rows, cols]) and LL_STORE_BY(a, LAYOUT,
 * how, dst, ..) take hints. LL_STREAM: the data is used once, so the caches are
 * left to other data. LL_WIDE: accesses have 32 bytes if the layout has 32
 * bytes side by side, such as LL_ROWS(.rows = 64, .cols = 64, .bytes = 2,
 * .access = 32), and the target has such accesses: sm_100 and later, CUDA 12.9.
 * On every target, src, dst, ld and cols are then multiples of
 * LL_VECTOR_BY(LAYOUT, how, T) elements. LL_STREAM | LL_WIDE asks for both.
 *
 * LL_COPY(PLAN, smem, src, ld [, rows, cols]) replaces LL_LOAD and
 * LL_STORE_SHARED: it copies a tile of row-major memory straight to where the
 * plan would store it, with zeros beyond rows and cols, and no lane waits. The
 * tile has arrived when its threads have called LL_COPY_WAIT and the block a
 * barrier. LL_COPY_COMMIT() makes a group of the copies before it, and
 * LL_COPY_WAIT(n) waits for all groups but the last n. src, ld and cols are
 * multiples of LL_VECTOR(FROM, T), as for LL_LOAD. The plan is LL_PLAN_BY(PLAN,
 * FROM, TO, bits, target, LL_COPIES), which keeps pieces of 4, 8 or 16 bytes of
 * a row whole in memory, or a plan through that memory (see Scopes). LL_COPY is
 * for sm_80 and later. With a FROM made by ll_rows_for(TO) it feeds matrix
 * operands by ldmatrix. Two buffers hide the latency of memory:
 *
 *     LL_COPY(FEED, smem[0], src, ld);
 *     LL_COPY_COMMIT();
 *     for (unsigned k = 0; k < tiles; ++k) {
 *         if (k + 1 < tiles) {
 *             LL_COPY(FEED, smem[(k + 1) % 2], src + 64 * (k + 1), ld);
 *         }
 *         LL_COPY_COMMIT();
 *         LL_COPY_WAIT(1);
 *         __syncthreads();
 *         LL_LOAD_SHARED(a, FEED, smem[k % 2]);
 *         ...
 *         __syncthreads();
 *     } */
#define LL_LOAD_BY(a, LAYOUT, how, ...)                                     \
    LL_BY_VENDOR_(ll_load_tile_<ll_scope_, LL_TYPE_(LAYOUT), how>)          \
    (a, __VA_ARGS__)
#define LL_STORE_BY(a, LAYOUT, how, ...)                                    \
    LL_BY_VENDOR_(ll_store_tile_<ll_scope_, LL_TYPE_(LAYOUT), how>)         \
    (a, __VA_ARGS__)
#define LL_LOAD(a, LAYOUT, ...) LL_LOAD_BY(a, LAYOUT, 0, __VA_ARGS__)
#define LL_STORE(a, LAYOUT, ...) LL_STORE_BY(a, LAYOUT, 0, __VA_ARGS__)
#define LL_COPY(PLAN, smem, ...)                                            \
    LL_MOVE_(ll_copy_tile_, PLAN, smem)(LL_SHARED_ADDRESS_(smem), __VA_ARGS__)
#define LL_COPY_COMMIT() LL_BY_VENDOR_(ll_moves_<ll_vendor_, 64>::commit)()
#define LL_COPY_WAIT(n)                                                     \
    LL_BY_VENDOR_(ll_moves_<ll_vendor_, 64>::wait_copies<n>)()
#define LL_VECTOR_BY(LAYOUT, how, T)                                        \
    LL_NUMBER_(ll_tile_of(LL_NAMED_LAYOUT_(LAYOUT),                         \
                          ll_is_b4x2_<T>::value ? 4u : 8u * sizeof(T),      \
                          (how) & LL_WIDE ? 32 : 16)                        \
                   .bytes /                                                 \
               (unsigned)sizeof(T))
#define LL_VECTOR(LAYOUT, T) LL_VECTOR_BY(LAYOUT, 0, T)

#endif

/* ---- kernel/gather: Gathers in kernels -------------------------------- */

#ifdef LL_DEVICE

/* A gather computes places from indices and fetches their elements. These types
 * hold the maps of thread and index. */
template <class PLAN_> struct ll_fetch_of_ {
    static constexpr ll_step value = LL_GET(PLAN_).fetch;
};

LL_FN ll_map ll_without_offset_(ll_map m) {
    m.offset = 0;
    return m;
}

template <class PLAN_> struct ll_index_map_ {
    LL_CONSTANT_ ll_map map() {
        return ll_without_offset_(LL_GET(PLAN_).value);
    }
};

/* The selects of a gather, with 2^PACK registers per word. */
LL_FN ll_step ll_packed_step_(ll_step s, unsigned pack) {
    s.pack = pack;
    return s;
}

template <class PLAN_, unsigned PACK_> struct ll_turn_of_ {
    static constexpr ll_step value =
        ll_packed_step_(LL_GET(PLAN_).turn, PACK_);
};

/* Unpacks indices to one per word, from words with EACH: 1, 2 or 4. */
template <unsigned EACH_, unsigned N_, unsigned... R_>
LL_DEVICE ll_file_<sizeof...(R_)> ll_indices_apart_(const ll_file_<N_> &f,
                                                    ll_seq_<R_...>) {
    return {{(f.w[R_ / EACH_] >> (R_ % EACH_ * (32u / EACH_)))...}};
}

/* Register R's literal part; the index chooses of 2^choice positions. */
template <class PLAN_, unsigned R_> struct ll_part_of_ {
    static constexpr ll_step fetch = LL_GET(PLAN_).fetch;
    enum : unsigned {
        bits = LL_GET(PLAN_).step[0].bits,
        pack = LL_GET(PLAN_).step[0].pack,
        choice = LL_GET(PLAN_).choice,
        place = ll_places(&fetch.at, R_),
        first = (place & ll_ones_(bits)) >> choice << choice >> pack,
        depth = choice > pack ? choice - pack : 0,
        mask = ll_ones_(pack)
    };
};

/* Returns the word that `position` chooses among 2^DEPTH, the first of them
 * word W. Every lane fetches all of them. */
template <class V_, bool SHUFFLED_, unsigned PARTS_, unsigned W_,
          unsigned PACK_, unsigned DEPTH_, unsigned N_>
LL_DEVICE unsigned ll_choose_word_(const ll_file_<N_> &f, unsigned position,
                                   unsigned lane) {
    if constexpr (DEPTH_ != 0) {
        constexpr unsigned half = 1u << (DEPTH_ - 1u);
        const unsigned low =
            ll_choose_word_<V_, SHUFFLED_, PARTS_, W_, PACK_, DEPTH_ - 1u>(
                f, position, lane);
        const unsigned high =
            ll_choose_word_<V_, SHUFFLED_, PARTS_, W_ + half * PARTS_, PACK_,
                            DEPTH_ - 1u>(f, position, lane);
        return position & half << PACK_ ? high : low;
    } else if constexpr (SHUFFLED_) {
        return V_::shuffle(f.w[W_], lane);
    } else {
        return f.w[W_];
    }
}

/* Returns the selector of an element's bytes for a byte permute. */
template <unsigned BYTES_>
LL_DEVICE unsigned ll_selector_(unsigned position, unsigned mask) {
    return BYTES_ == 1 ? position & mask : (position & mask) * 0x22u + 0x10u;
}

/* Fetches words W within the warp. Each register has PARTS words. */
template <class V_, class PLAN_, unsigned PARTS_, unsigned N_, unsigned M_,
          unsigned... W_>
LL_DEVICE ll_file_<sizeof...(W_)> ll_ask_lanes_(const ll_file_<N_> &f,
                                                const ll_file_<M_> &place,
                                                ll_seq_<W_...>) {
    constexpr bool shuffled = LL_GET(PLAN_).kind == LL_SHUFFLES;
    constexpr unsigned bits = ll_part_of_<PLAN_, 0>::bits;
    constexpr unsigned pack = ll_part_of_<PLAN_, 0>::pack;
    constexpr unsigned depth = ll_part_of_<PLAN_, 0>::depth;
    return {{ll_choose_word_<
        V_, shuffled, PARTS_,
        ll_part_of_<PLAN_, W_ / PARTS_>::first * PARTS_ + W_ % PARTS_, pack,
        depth>(f, place.w[W_ / PARTS_], place.w[W_ / PARTS_] >> bits)...}};
}

/* Extracts elements of fewer than 32 bits from their words. */
template <class V_, class PLAN_, unsigned BYTES_, unsigned N_, unsigned... R_>
LL_DEVICE ll_file_<N_> ll_take_out_(const ll_file_<N_> &f,
                                    const ll_file_<N_> &place,
                                    ll_seq_<R_...>) {
    constexpr unsigned mask = ll_part_of_<PLAN_, 0>::mask;
    return {{V_::permute(f.w[R_], f.w[R_],
                         ll_selector_<BYTES_>(place.w[R_], mask))...}};
}

/* Extracts elements below 32 bits from words a and b, packed in one. */
template <class V_, unsigned BYTES_>
LL_DEVICE unsigned ll_two_out_(unsigned a, unsigned b, unsigned place_a,
                               unsigned place_b, unsigned mask) {
    return V_::permute(a, b,
                       (BYTES_ == 1 ? 0x40u : 0x4400u) ^
                           ll_selector_<BYTES_>(place_a, mask) ^
                           ll_selector_<BYTES_>(place_b, mask)
                               << (BYTES_ == 1 ? 4u : 8u));
}

template <class V_, class PLAN_, unsigned BYTES_, unsigned W_, unsigned N_>
LL_DEVICE unsigned ll_take_word_(const ll_file_<N_> &f,
                                 const ll_file_<N_> &place) {
    constexpr unsigned mask = ll_part_of_<PLAN_, 0>::mask;
    constexpr unsigned k = W_ * (4 / BYTES_);
    const unsigned low = ll_two_out_<V_, BYTES_>(
        f.w[k], f.w[k + 1], place.w[k], place.w[k + 1], mask);
    if constexpr (BYTES_ == 1) {
        return V_::permute(low,
                           ll_two_out_<V_, 1>(f.w[k + 2], f.w[k + 3],
                                              place.w[k + 2], place.w[k + 3],
                                              mask),
                           0x5410);
    } else {
        return low;
    }
}

template <class V_, class PLAN_, unsigned BYTES_, unsigned N_, unsigned... W_>
LL_DEVICE ll_file_<sizeof...(W_)> ll_take_words_(const ll_file_<N_> &f,
                                                 const ll_file_<N_> &place,
                                                 ll_seq_<W_...>) {
    return {{ll_take_word_<V_, PLAN_, BYTES_, W_>(f, place)...}};
}

/* The identity on 2^BITS positions, to pack elements that have a word each. */
LL_FN ll_access ll_as_it_is_(unsigned bits) {
    ll_access m = LL_ZERO;
    m.n = bits;
    for (unsigned k = 0; k < bits; ++k) {
        m.reg[k] = 1u << k;
    }
    return m;
}

template <unsigned BITS_> struct ll_as_they_are_ {
    static constexpr ll_access value = ll_as_it_is_(BITS_);
};

/* Packs elements that have a word each, 2^PACK per word. */
template <class V_, class PLAN_, unsigned BYTES_, unsigned PACK_, unsigned N_>
LL_DEVICE auto ll_put_together_(const ll_file_<N_> &f) {
    return ll_file_rename_<V_, ll_as_they_are_<LL_GET(PLAN_).to_bits>, BYTES_,
                           0, PACK_>(f);
}

/* Extracts elements from the words f that hold them. PACK: results below 32
 * bits have a word each, fill words, or fill a part. */
template <class V_, class PLAN_, unsigned BYTES_, unsigned PACK_, unsigned N_,
          unsigned M_>
LL_DEVICE auto ll_taken_(const ll_file_<N_> &f, const ll_file_<M_> &place) {
    constexpr unsigned full = BYTES_ == 1 ? 2 : 1;
    if constexpr (BYTES_ >= 4) {
        return f;
    } else if constexpr (PACK_ == full) {
        return ll_take_words_<V_, PLAN_, BYTES_>(
            f, place, ll_seq_below_<(N_ >> PACK_)>());
    } else {
        const auto out =
            ll_take_out_<V_, PLAN_, BYTES_>(f, place, ll_seq_below_<N_>());
        if constexpr (PACK_ == 0) {
            return out;
        } else {
            return ll_put_together_<V_, PLAN_, BYTES_, PACK_>(out);
        }
    }
}

template <class V_, class S_, unsigned M_, unsigned... R_>
LL_DEVICE auto ll_ask_memory_(const ll_file_<M_> &place, unsigned smem,
                              ll_seq_<R_...>) {
    const ll_words v[] = {V_::template take<LL_FORM_VECTOR, S_::bytes>(
        ll_address_at_<S_, R_>(place.w[R_], smem))...};
    return ll_words_flat_<S_::per>(v, ll_seq_below_<S_::per * M_>());
}

/* Fetches all elements by the plan's kind; packs 2^PACK per word. */
template <class V_, class PLAN_, unsigned BYTES_, unsigned PACK_, unsigned N_,
          unsigned M_>
LL_DEVICE auto ll_ask_(const ll_file_<N_> &f, const ll_file_<M_> &place,
                       unsigned thread, unsigned smem) {
    constexpr unsigned parts = ll_element_words_(8 * BYTES_);
    if constexpr (LL_GET(PLAN_).kind == LL_SHARED) {
        return ll_put_together_<V_, PLAN_, BYTES_, PACK_>(
            ll_file_selects_<V_, ll_turn_of_<PLAN_, 0>, parts>(
                ll_ask_memory_<V_, ll_move_<ll_fetch_of_<PLAN_>>>(
                    place, smem, ll_seq_below_<M_>()),
                thread));
    } else {
        return ll_taken_<V_, PLAN_, BYTES_, PACK_>(
            ll_ask_lanes_<V_, PLAN_, parts>(f, place,
                                            ll_seq_below_<M_ * parts>()),
            place);
    }
}

/* Returns the places of the elements: the XOR of the thread's, the index's and
 * the register's parts. Through shared memory, addresses add the register's. */
template <class PLAN_, unsigned M_, unsigned... R_>
LL_DEVICE ll_file_<M_> ll_gather_places_(const ll_file_<M_> &index,
                                         unsigned thread, ll_seq_<R_...>) {
    constexpr bool memory = LL_GET(PLAN_).kind == LL_SHARED;
    const unsigned at =
        ll_thread_at_<ll_move_<ll_fetch_of_<PLAN_>>>(thread);
    return {{(ll_thread_at_<ll_index_map_<PLAN_>>(index.w[R_]) ^ at ^
              (memory ? 0u : ll_part_of_<PLAN_, R_>::place + 0u))...}};
}

/* An array of 2^BITS indices, with one, two or four per word. */
template <unsigned M_, unsigned BITS_> struct ll_indices_ {
    enum : unsigned {
        each = (1u << BITS_) / M_,
        pack = each / 2,
        fits = M_ << pack == 1u << BITS_ && each != 3 && each <= 4
    };
    static_assert(fits, "ll: the indices must be LL_REGS words of their "
                        "layout, or LL_WORDS words of indices of 8 or 16 "
                        "bits");
};

/* Selects among indices by a C expression. The compiler moves selects by fixed
 * indices out of a loop, unlike inline assembly. */
struct ll_plain_ {
    template <bool OTHER_>
    LL_DEVICE unsigned choose(unsigned a, unsigned b, unsigned on) {
        return on ? b : a;
    }
};

/* The first half of a gather. Through shared memory, it executes the steps up
 * to the barrier. Other kinds keep the words f in registers. */
template <class V_, class PLAN_, class FROM_, class T_, unsigned N_>
LL_DEVICE auto ll_gather_first_(const T_ (&src)[N_], unsigned smem) {
    constexpr unsigned end =
        LL_GET(PLAN_).n - (LL_GET(PLAN_).kind == LL_SHARED ? 1u : 0u);
    return ll_steps_<V_, PLAN_, 0, end, FROM_::pack,
                     LL_GET(PLAN_).step[0].pack>(
        FROM_::read(src, typename FROM_::each()), V_::thread(), smem);
}

template <class V_, class PLAN_, class TO_, class U_, unsigned M_, unsigned N_,
          unsigned L_>
LL_DEVICE void ll_gather_second_(U_ (&out)[M_], const ll_file_<N_> &f,
                                 const unsigned (&idx)[L_], unsigned smem) {
    constexpr unsigned count = 1u << LL_GET(PLAN_).to_bits;
    constexpr unsigned each = ll_indices_<L_, LL_GET(PLAN_).to_bits>::each;
    const unsigned thread = V_::thread();
    const auto index = ll_file_selects_<ll_plain_, ll_turn_of_<PLAN_, 0>, 1>(
        ll_indices_apart_<each>(
            ll_array_<unsigned, L_>::read(idx, ll_seq_below_<L_>()),
            ll_seq_below_<count>()),
        thread);
    TO_::write(out,
               ll_ask_<V_, PLAN_, LL_GET(PLAN_).element_bits / 8, TO_::pack>(
                   f,
                   ll_gather_places_<PLAN_>(index, thread,
                                            ll_seq_below_<count>()),
                   thread, smem),
               typename TO_::each());
}

template <class VENDOR_, class PLAN_, class U_, unsigned M_, class T_,
          unsigned N_, unsigned L_>
LL_DEVICE void ll_gather_(U_ (&out)[M_], const T_ (&src)[N_],
                          const unsigned (&idx)[L_], unsigned smem) {
    LL_WANTS_CONSTANT_(PLAN_, ll_gather_plan,
                       "LL_GATHER takes the name of a plan of LL_GATHER_PLAN");
    if constexpr (ll_constant_is_good_<PLAN_, ll_gather_plan>()) {
        constexpr unsigned bits = LL_GET(PLAN_).element_bits;
        typedef ll_registers_of_<T_, N_, LL_GET(PLAN_).from_bits, bits> from;
        typedef ll_registers_of_<U_, M_, LL_GET(PLAN_).to_bits, bits> to;
        if constexpr (ll_array_fits_<from, bits>() &&
                      ll_array_fits_<to, bits>() &&
                      ll_indices_<L_, LL_GET(PLAN_).to_bits>::fits) {
            typedef ll_moves_<VENDOR_, LL_GET(PLAN_).lanes> moves;
            LL_ENTER_MOVE_(moves, LL_GET(PLAN_).threads, LL_GET(PLAN_).lanes);
            const auto f = ll_gather_first_<moves, PLAN_, from>(src, smem);
            if constexpr (LL_GET(PLAN_).kind == LL_SHARED) {
                ll_barrier_wait_<moves,
                                 LL_GET(PLAN_).step[LL_GET(PLAN_).n - 1].op>();
            }
            ll_gather_second_<moves, PLAN_, to>(out, f, idx, smem);
        }
    }
}

template <class VENDOR_, class PLAN_, class T_, unsigned N_>
LL_DEVICE auto ll_gather_store_(const T_ (&src)[N_], unsigned smem) {
    LL_WANTS_CONSTANT_(
        PLAN_, ll_gather_plan,
        "LL_GATHER_STORE takes the name of a plan of LL_GATHER_PLAN");
    if constexpr (ll_constant_is_good_<PLAN_, ll_gather_plan>()) {
        constexpr unsigned bits = LL_GET(PLAN_).element_bits;
        typedef ll_registers_of_<T_, N_, LL_GET(PLAN_).from_bits, bits> from;
        typedef ll_moves_<VENDOR_, LL_GET(PLAN_).lanes> moves;
        LL_ENTER_MOVE_(moves, LL_GET(PLAN_).threads, LL_GET(PLAN_).lanes);
        if constexpr (ll_array_fits_<from, bits>()) {
            return ll_gather_first_<moves, PLAN_, from>(src, smem);
        } else {
            return ll_file_<1>{{0}};
        }
    } else {
        return ll_file_<1>{{0}};
    }
}

template <class VENDOR_, class PLAN_, class U_, unsigned M_, unsigned N_,
          unsigned L_>
LL_DEVICE void ll_gather_load_(U_ (&out)[M_], const ll_file_<N_> &f,
                               const unsigned (&idx)[L_], unsigned smem) {
    LL_WANTS_CONSTANT_(
        PLAN_, ll_gather_plan,
        "LL_GATHER_LOAD takes the name of a plan of LL_GATHER_PLAN");
    if constexpr (ll_constant_is_good_<PLAN_, ll_gather_plan>()) {
        constexpr unsigned bits = LL_GET(PLAN_).element_bits;
        typedef ll_registers_of_<U_, M_, LL_GET(PLAN_).to_bits, bits> to;
        if constexpr (ll_array_fits_<to, bits>() &&
                      ll_indices_<L_, LL_GET(PLAN_).to_bits>::fits) {
            ll_gather_second_<ll_moves_<VENDOR_, LL_GET(PLAN_).lanes>, PLAN_,
                              to>(out, f, idx, smem);
        }
    }
}

LL_NO_MOVE_(ll_gather_, "LL_GATHER(out, src, idx, PLAN, smem): out, src and "
            "idx must be arrays, not pointers, idx of unsigned")

/* LL_GATHER(out, src, idx, PLAN, smem): sets out[r] to the element of src at
 * index idx[r] along the axis of an LL_GATHER_PLAN. All three arrays are
 * distributed over the block. smem is as for LL_CONVERT.
 *
 * idx has 32-bit words with one index each, or LL_WORDS(INDEX, 16) words with
 * two or LL_WORDS(INDEX, 8) words with four, the first in the lowest bits. An
 * index is taken modulo the size of the axis, so no index reads out of bounds.
 *
 * If src, idx and out are more words than a thread has registers (255), give
 * the kernel __launch_bounds__(threads, 1). Without the 1, ptxas may settle for
 * 32 registers and spill four times as much.
 *
 * The halves are LL_GATHER_STORE(src, PLAN, smem), which returns a state, and
 * LL_GATHER_LOAD(out, state, idx, PLAN, smem). As for LL_REDUCE, the caller
 * provides the barrier between them. */
#define LL_GATHER(out, src, idx, PLAN, smem)                                \
    LL_MOVE_(ll_gather_, PLAN, smem)(out, src, idx, LL_SHARED_ADDRESS_(smem))
#define LL_GATHER_STORE(src, PLAN, smem)                                    \
    LL_MOVE_(ll_gather_store_, PLAN, smem)(src, LL_SHARED_ADDRESS_(smem))
#define LL_GATHER_LOAD(out, state, idx, PLAN, smem)                         \
    LL_MOVE_(ll_gather_load_, PLAN, smem)(                                  \
        out, state, idx, LL_SHARED_ADDRESS_(smem))

#endif

/* ---- kernel/coordinates: Coordinates in kernels ----------------------- */

#ifdef LL_DEVICE

/* For kernels that read coordinates from a layout. The thread's part is the
 * terms of a map. The register's part is XORed bit by bit, and is a literal
 * where the register number is one. If no bit of the axis is in both parts,
 * they are added, so the thread's part cancels in a difference. */
template <class LAYOUT_> struct ll_whole_ {
    LL_CONSTANT_ ll_map map() {
        return ll_map_of(ll_thread_map_(LL_GET(LAYOUT_)));
    }
};

template <class LAYOUT_, unsigned K_> struct ll_column_ {
    enum : unsigned {
        image = ll_apply(ll_hardware_(LL_GET(LAYOUT_)), 1u << K_) ^
                ll_map_numbers_<ll_whole_<LAYOUT_>>::offset
    };
};

template <class LAYOUT_, ll_dim DIM_> struct ll_field_of_ {
    static constexpr ll_shape out = LL_GET(LAYOUT_).out;
    static_assert(
        ll_axis_is_there_<LAYOUT_, DIM_,
                          ll_shape_find_(&out, DIM_) < out.n>::value,
        "");
    enum : unsigned {
        mask = ll_size(out, DIM_) - 1u,
        start = mask ? ll_shape_start_(&out, ll_shape_find_(&out, DIM_)) : 0u
    };
};

/* Returns the output bits that registers, or threads, reach. */
LL_FN unsigned ll_reached_(const ll_layout &a, bool registers) {
    const ll_layout h = ll_hardware_(a);
    const unsigned regs = h.in.bits[0];
    const ll_span_ l =
        ll_span_of_columns_(&h, registers ? 0u : regs,
                            registers ? regs : ll_shape_bits_(&h.in));
    return ll_span_or_(&l);
}

/* threads: the bits that a thread reaches. both: those that a register reaches
 * too. moved: the bits of the constant that go to the register's part. */
template <class LAYOUT_> struct ll_apart_ {
    enum : unsigned {
        threads = ll_reached_(LL_GET(LAYOUT_), false),
        both = ll_reached_(LL_GET(LAYOUT_), true) & threads,
        moved = ll_map_numbers_<ll_whole_<LAYOUT_>>::offset & ~threads
    };
};

template <class LAYOUT_, ll_dim DIM_, unsigned... K_>
LL_DEVICE unsigned ll_coordinate_(unsigned thread, unsigned r,
                                  ll_seq_<K_...>) {
    typedef ll_field_of_<LAYOUT_, DIM_> field;
    typedef ll_apart_<LAYOUT_> apart;
    const unsigned at = ll_thread_at_<ll_whole_<LAYOUT_>>(thread);
    const unsigned by =
        (0u ^ ... ^ (r >> K_ & 1u ? ll_column_<LAYOUT_, K_>::image + 0u : 0u));
    if constexpr ((apart::both >> field::start & field::mask) == 0u) {
        return ((at ^ apart::moved) >> field::start & field::mask) +
               ((by ^ apart::moved) >> field::start & field::mask);
    } else {
        return (at ^ by) >> field::start & field::mask;
    }
}

template <class VENDOR_, class LAYOUT_, ll_dim DIM_>
LL_DEVICE unsigned ll_place_of_(unsigned r) {
    LL_WANTS_CONSTANT_(LAYOUT_, ll_layout,
                       "LL_AT takes the name of a layout of LL_LAYOUT");
    if constexpr (ll_constant_is_good_<LAYOUT_, ll_layout>()) {
        typedef ll_moves_<VENDOR_, 64> moves;
        constexpr unsigned threads = LL_THREADS(LAYOUT_);
        constexpr bool one = LL_BLOCKS(LAYOUT_) == 1u;
        static_assert(one || moves::clusters,
                      "ll: LL_AT: the layout has several blocks, but this GPU "
                      "has no clusters: use the layout of one block, and add "
                      "the block's start");
        constexpr unsigned rank = one || !moves::clusters ? 0u
                                                          : ll_log2_(threads);
        /* Threads beyond the layout's own hold copies. */
        const unsigned thread = moves::thread() & (threads - 1u);
        return ll_coordinate_<LAYOUT_, DIM_>(
            ll_thread_ranked_<moves, rank>(thread), r,
            ll_seq_below_<ll_log2_(LL_REGS(LAYOUT_))>());
    } else {
        return 0;
    }
}

/* LL_EACH(r, LAYOUT) loops over the registers. LL_AT(LAYOUT, d, r) returns
 * coordinate d of register r in this thread, and in this block of the cluster
 * if the layout has several blocks. */
#define LL_EACH(r, LAYOUT)                                                  \
    LL_UNROLL for (unsigned r = 0; r < LL_REGS(LAYOUT); ++r)
#define LL_AT(LAYOUT, d, r)                                                 \
    LL_BY_VENDOR_(                                                          \
        ll_place_of_<ll_scope_, LL_TYPE_(LAYOUT),                           \
                     ll_named_axis_<LL_TYPE_(LAYOUT), ll_is_axis_(d),       \
                                    ll_axis_of_(d)>::value>)(r)

#endif

/* ---- text/explain: Explanations --------------------------------------- */

/* Text for people. Each function writes what fits into the buffer, and returns
 * the length of the whole text without the final 0. */

/* ll_error(name, a, buf, size): writes the error sentence of an invalid layout.
 * It begins with the name. It ends with the character at fault, after ll_parse,
 * or with the value at fault, if the layout has it: "ll: OUT: a size is a power
 * of two, at least 1 (got 96)". For a valid one: "ll: name: no error". */
LL_FN unsigned ll_error(const char *name, ll_layout a, char *buf,
                        unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    ll_write_(&w, "ll: ");
    ll_write_(&w, name ? name : "");
    ll_write_(&w, name ? ": " : "");
    if (a.err == LL_ETEXT && a.out.err == LL_ETAIL) {
        ll_write_number_(&w, a.out.value);
        ll_write_(&w, a.out.value == 1u ? " size" : " sizes");
        ll_write_(&w, " after ->, but ");
        ll_write_number_(&w, a.out.n);
        ll_write_(&w, a.out.n == 1u ? " axis" : " axes");
        ll_write_(&w, " in the columns: name the sizes, also of an axis that "
                      "no column has, as in -> j=8 | i=32");
    } else {
        ll_write_(&w, ll_strerror(a.err));
    }
    if (a.err && a.is == LL_AT_DIMENSION) {
        ll_write_(&w, " (asked for ");
        ll_write_name_(&w, (ll_dim)a.at << 30);
        ll_write_(&w, ")");
    } else if (a.err && (a.at || a.is)) {
        ll_write_(&w, a.is == LL_AT_VALUE ? " (got " : " (at character ");
        ll_write_number_(&w, a.at);
        ll_write_(&w, a.is == LL_AT_VALUE ? ")" : ", counted from 1)");
    }
    return w.len;
}

/* Private: writes the size of a dimension in one of two layouts. */
LL_FN void ll_write_size_in_(ll_writer_ *w, unsigned size, const char *which) {
    ll_write_(w, size ? " has size " : " is missing");
    if (size) {
        ll_write_number_(w, size);
    }
    ll_write_(w, which);
}

/* Private: writes a difference, as in "j has size 8 in the first layout and is
 * missing in the second". Returns 0 if there is none. */
LL_FN int ll_write_difference_(ll_writer_ *w, const ll_shape *a,
                               const ll_shape *b, int equal) {
    const ll_difference_ d = ll_difference_of_(*a, *b, equal);
    if (d.dim) {
        ll_write_name_(w, d.dim);
        ll_write_size_in_(w, d.size[0], " in the first layout and");
        ll_write_size_in_(w, d.size[1], " in the second\n");
    }
    return d.dim != 0;
}

/* Private: writes the first element of b that a lacks. Returns 0 if a has all
 * of them. Every dimension of b is also a dimension of a. */
LL_FN int ll_write_lack_(ll_writer_ *w, const ll_layout *a,
                         const ll_layout *b) {
    for (unsigned k = 0; k <= ll_shape_bits_(&b->in); ++k) {
        const unsigned y = b->offset ^ (k ? b->basis[k - 1u] : 0u);
        if (!ll_reaches(*a, ll_shape_repack_(y, &b->out, &a->out))) {
            ll_write_(w, "the first layout lacks the element");
            for (unsigned d = b->out.n; d-- > 0;) {
                ll_write_char_(w, ' ');
                ll_write_name_(w, b->out.dim[d]);
                ll_write_char_(w, '=');
                ll_write_number_(w, ll_shape_field_(&b->out, d, y));
            }
            ll_write_(w, " of the second\n");
            return 1;
        }
    }
    return 0;
}

/* Private: writes the first bit that layouts of equal shapes map
 * differently. */
LL_FN void ll_write_column_difference_(ll_writer_ *w, const ll_layout *a,
                                       const ll_layout *b) {
    const ll_layout c = ll_layout_onto_(ll_layout_from_(*b, &a->in), &a->out);
    unsigned k = 0;
    while (k < ll_shape_bits_(&a->in) && a->basis[k] == c.basis[k]) {
        ++k;
    }
    if (k == ll_shape_bits_(&a->in) && a->offset == c.offset) {
        ll_write_(w, "both put each element at the same place\n");
        return;
    }
    unsigned d = 0;
    while (d + 1u < a->in.n && ll_shape_start_(&a->in, d + 1u) <= k) {
        ++d;
    }
    if (k == ll_shape_bits_(&a->in)) {
        ll_write_(w, "the affine part");
    } else {
        ll_write_name_(w, a->in.dim[d]);
        ll_write_(w, " bit ");
        ll_write_number_(w, k - ll_shape_start_(&a->in, d));
    }
    ll_write_(w, " is ");
    ll_write_column_(w, &a->out,
                     k < ll_shape_bits_(&a->in) ? a->basis[k] : a->offset);
    ll_write_(w, " in the first layout and ");
    ll_write_column_(w, &a->out,
                     k < ll_shape_bits_(&a->in) ? c.basis[k] : c.offset);
    ll_write_(w, " in the second\n");
}

/* Private: writes a layout; ll_write_layout_: as a line, after `what`. */
LL_FN void ll_write_text_(ll_writer_ *w, ll_layout a) {
    char *rest = w->len < w->size ? w->s + w->len : w->s;
    w->len += ll_str(a, rest, w->len < w->size ? w->size - w->len : 0u);
}

LL_FN void ll_write_layout_(ll_writer_ *w, const char *what, ll_layout a) {
    ll_write_(w, what);
    ll_write_text_(w, a);
    ll_write_(w, "\n");
}

/* ll_compare(a, b, buf, size): writes two layouts, and why a plan from a to b
 * would fail with LL_EMATCH or LL_ENOSOLUTION: the first axis that does not
 * fit, or the first element of b that a lacks. If there is no such reason, it
 * writes the first input or output with different sizes, or the first bit that
 * the layouts map differently. */
LL_FN unsigned ll_compare(ll_layout a, ll_layout b, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    ll_write_layout_(&w, "first:  ", a);
    ll_write_layout_(&w, "second: ", b);
    if (!a.err && !b.err && !ll_write_difference_(&w, &a.out, &b.out, 0) &&
        !ll_write_lack_(&w, &a, &b) &&
        !ll_write_difference_(&w, &a.out, &b.out, 1) &&
        !ll_write_difference_(&w, &a.in, &b.in, 1)) {
        ll_write_column_difference_(&w, &a, &b);
    }
    return w.len;
}

/* Private: writes a count and its noun, as in "8 accesses". */
LL_FN void ll_write_count_(ll_writer_ *w, unsigned n, const char *noun) {
    ll_write_number_(w, n);
    ll_write_char_(w, ' ');
    ll_write_(w, noun);
    ll_write_(w, n == 1u ? "" : "s");
}

/* Private: writes a count, its noun and a verb for them, as in "1 select
 * reorders" and "8 selects reorder". */
LL_FN void ll_write_does_(ll_writer_ *w, unsigned n, const char *noun,
                          const char *verb) {
    ll_write_count_(w, n, noun);
    ll_write_(w, verb);
    ll_write_(w, n == 1u ? "s" : "");
}

/* Private: writes what a store or a load does. */
LL_FN void ll_write_access_(ll_writer_ *w, const ll_step *s,
                            const char *noun) {
    int store = s->op == LL_OP_STORE;
    unsigned n = s->count;
    ll_write_(w, store ? "each lane stores " : "each lane loads ");
    ll_write_count_(w, 1u << s->bits, noun);
    ll_write_(w, store ? " to" : " from");
    ll_write_(w, s->dsmem ? " the cluster's shared memory in "
                          : " shared memory in ");
    ll_write_number_(w, n);
    ll_write_(w, s->form == LL_FORM_MATRIX   ? " matrix"
                 : s->form != LL_FORM_VECTOR ? " transposing matrix"
                                             : "");
    ll_write_(w, n == 1u ? " access of " : " accesses of ");
    ll_write_count_(w, s->bytes, "byte");
    ll_write_(w, ", ");
    ll_write_count_(w, s->wavefronts, "wavefront");
    ll_write_(w, n == 1u ? "" : " each");
    if (s->wavefronts == s->least) {
        ll_write_(w, ": no bank conflicts\n");
    } else {
        ll_write_(w, " (best possible: ");
        ll_write_number_(w, s->least);
        ll_write_(w, "): bank conflicts\n");
    }
}

/* Private: writes what a step does, as in "16 shuffles". */
LL_FN void ll_write_step_(ll_writer_ *w, const ll_step *s,
                          const char *noun) {
    if (s->op == LL_OP_STORE || s->op == LL_OP_LOAD) {
        ll_write_access_(w, s, noun);
        return;
    }
    if (ll_is_sync_(s->op)) {
        ll_write_(w, s->op == LL_OP_SYNC_WARP    ? "__syncwarp()"
                     : s->op == LL_OP_SYNC_BLOCK ? "__syncthreads()"
                                                 : "barrier of the cluster, "
                                                   "and another one after all "
                                                   "blocks have loaded");
    } else if (s->count == 0) {
        ll_write_(w, "each lane renames its registers: no instruction");
    } else if (s->op == LL_OP_SWAP) {
        ll_write_does_(w, s->count, "swap", " exchange");
        ll_write_(w, " words between lanes ");
        ll_write_number_(w, s->at.place[s->at.n - 1u]);
        ll_write_(w, " apart");
    } else if (s->op == LL_OP_SHUFFLE && s->near && s->near < s->count) {
        ll_write_count_(w, s->near, "near move");
        ll_write_(w, " and ");
        ll_write_count_(w, s->count - s->near, "shuffle");
        ll_write_(w, " exchange words between lanes");
    } else if (s->op == LL_OP_SHUFFLE) {
        ll_write_does_(w, s->count, s->near ? "near move" : "shuffle",
                       " exchange");
        ll_write_(w, " words between lanes");
    } else {
        ll_write_does_(w, s->count,
                       s->op == LL_OP_SELECT ? "select" : "byte permute",
                       " reorder");
        ll_write_(w, s->op == LL_OP_SELECT
                         ? " each lane's registers"
                         : " the bytes of each lane's registers");
    }
    ll_write_(w, "\n");
}

/* Private: writes in a few words what a plan does. */
LL_FN void ll_write_kind_(ll_writer_ *w, const ll_plan *p) {
    ll_write_(w, p->kind == LL_NOTHING     ? "nothing moves"
                 : p->kind == LL_REGISTERS ? "data stays in its lane"
                 : p->kind == LL_SHUFFLES  ? "data stays in its warp"
                 : p->blocks ? "data goes through the shared memory of the "
                               "cluster's blocks"
                 : p->rank   ? "data goes through shared memory, differently "
                               "in each block of the cluster"
                             : "data goes through shared memory");
    if (p->kind >= LL_SHARED) {
        ll_write_(w, ", ");
        ll_write_count_(w, p->smem_bytes, "byte");
        ll_write_(w, p->kind == LL_CLUSTER ? " each" : "");
    }
    if (p->passes) {
        ll_write_(w, " in ");
        ll_write_number_(w, 1ull << p->passes);
        ll_write_(w, " passes");
    }
    if (p->cycles) {
        ll_write_(w, ", about ");
        ll_write_count_(w, p->cycles, "cycle");
        ll_write_(w, " per warp");
    }
    ll_write_(w, "\n");
}

/* Private: writes how the plan's wavefronts compare with the minimum for vector
 * accesses over all memory layouts. */
LL_FN void ll_write_fewest_(ll_writer_ *w, const ll_plan *p) {
    unsigned taken = 0;
    for (unsigned k = 0; k < p->n; ++k) {
        taken += p->step[k].count * p->step[k].wavefronts;
    }
    if (p->fewest && taken == p->fewest) {
        ll_write_(w, "  optimal: no shared-memory layout needs fewer "
                     "wavefronts for vector accesses\n");
    } else if (p->fewest) {
        ll_write_(w, "  every shared-memory layout needs at least ");
        ll_write_count_(w, p->fewest, "wavefront");
        ll_write_(w, " for vector accesses\n");
    }
}

/* Private: writes the kind and the cycles of the best plan of another kind. */
LL_FN void ll_write_next_(ll_writer_ *w, const ll_plan *p) {
    if (p->next_kind != p->kind) {
        ll_write_(w, p->next_kind == LL_SHARED
                         ? "  next best: through shared memory, about "
                     : p->next_kind == LL_SHUFFLES
                         ? "  next best: by shuffles, about "
                         : "  next best: within each lane, about ");
        ll_write_count_(w, p->next_cycles, "cycle");
        ll_write_(w, " per warp\n");
    }
}

/* Private: writes why there is no plan, with the value at fault if known. */
LL_FN void ll_write_no_plan_(ll_writer_ *w, unsigned err, unsigned value) {
    ll_write_(w, "there is no plan: ");
    ll_write_(w, ll_strerror(err));
    if (value) {
        ll_write_(w, err == LL_EBUDGET  ? " (it needs "
                     : err == LL_ELANES ? " (the target has "
                                        : " (got ");
        ll_write_number_(w, value);
        ll_write_char_(w, ')');
    }
    ll_write_(w, err == LL_EMATCH ? " (ll_compare shows where)\n" : "\n");
}

/* Private: writes why there is no plan along an axis: what bit it lacks. */
LL_FN void ll_write_no_axis_(ll_writer_ *w, unsigned err,
                             const ll_lack *lack) {
    if (err != LL_EHELD) {
        ll_write_no_plan_(w, err, 0);
        return;
    }
    ll_write_(w, "there is no plan: the layout lacks bit ");
    ll_write_(w, ll_write_name_(w, lack->dim) ? "." : "");
    ll_write_number_(w, lack->bit);
    ll_write_(w, " of the axis\n");
}

/* Private: writes the number of a line. */
LL_FN void ll_write_item_(ll_writer_ *w, unsigned *n) {
    ll_write_(w, "  ");
    ll_write_number_(w, ++*n);
    ll_write_(w, ". ");
}

/* Private: writes how a plan rearranges nibbles before or after its steps. */
LL_FN void ll_write_nibbles_(ll_writer_ *w, const ll_plan *p, unsigned *n,
                             int after) {
    const unsigned how = after ? p->after : p->before;
    if (how == LL_STAY) {
        return;
    }
    ll_write_item_(w, n);
    ll_write_(w, how != LL_APART
                     ? "each lane exchanges nibbles, register bit 0 with bit "
                 : after ? "each lane packs its elements, two per byte"
                         : "each lane unpacks its elements, one per byte");
    if (how != LL_APART) {
        ll_write_number_(w, how);
    }
    ll_write_(w, "\n");
}

/* ll_explain(p, buf, size): writes a plan in words: its shared memory and
 * cycles, each step with its cost, the memory layout, and the cost of the best
 * plan of another kind. Cycles are the time per warp, with many warps in
 * flight, on the busiest pipe. A near move avoids the pipe of shared memory; a
 * shuffle may use it. For 4-bit elements the steps and the memory handle pairs,
 * along `pair`, or one element per byte if the elements are moved apart. For an
 * invalid plan it writes the reason, with the element bits, the target's lanes
 * or the bytes of shared memory if one of these is the cause. */
LL_FN unsigned ll_explain(ll_plan p, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    unsigned n = 0;
    if (p.err) {
        const unsigned bits = p.element_bits;
        const int odd = bits < 4u || (bits & (bits - 1u)) != 0 || bits > 128u;
        ll_write_no_plan_(&w, p.err,
                          p.err == LL_EELEMENT && odd ? bits
                          : p.err == LL_ELANES  ? p.lanes
                          : p.err == LL_EBUDGET ? p.smem_bytes
                                                : 0u);
        return w.len;
    }
    ll_write_kind_(&w, &p);
    ll_write_nibbles_(&w, &p, &n, 0);
    for (unsigned k = 0; k < p.n; ++k) {
        if (p.n == 1u || p.step[k].op != LL_OP_RENAME || p.step[k].count) {
            ll_write_item_(&w, &n);
            ll_write_step_(&w, &p.step[k], p.nibbles ? "byte" : "element");
        }
        if (p.step[k].op == LL_OP_LOAD && p.step[k].bits > p.to_bits) {
            ll_write_(&w, "     an over-read: twice the bytes that it needs\n");
        }
        if (p.step[k].op == LL_OP_STORE && p.copies) {
            ll_write_(&w, "     or LL_COPY, in copies of the same width\n");
        }
    }
    ll_write_nibbles_(&w, &p, &n, 1);
    if (p.kind >= LL_SHARED) {
        ll_write_layout_(&w, p.pair ? "  memory of pairs " : "  memory ",
                         p.memory);
        ll_write_fewest_(&w, &p);
    }
    ll_write_next_(&w, &p);
    return w.len;
}

/* Private: writes a column, as in "lane bit 1 is at byte 128". */
LL_FN void ll_write_bit_(ll_writer_ *w, const char *what, unsigned bit,
                         unsigned byte) {
    ll_write_(w, what);
    ll_write_(w, " bit ");
    ll_write_number_(w, bit);
    ll_write_(w, " is at byte ");
    ll_write_number_(w, byte);
}

/* Private: writes the first column of the registers or lanes of x that must
 * lead elsewhere for a row of the matrix. Returns 1 if there is one. */
LL_FN int ll_write_misfit_(ll_writer_ *w, const ll_layout *x, ll_form form,
                           unsigned scale) {
    const unsigned regs = x->in.bits[0];
    const unsigned row = ll_ones_(ll_form_row_bits_(form) - scale);
    for (unsigned k = 0; k < ll_shape_bits_(&x->in); ++k) {
        const int in_digits = k < regs ? k + scale < LL_LANE_DIGITS_
                                       : k - regs < x->in.bits[1];
        const unsigned digit =
            k < regs ? k + scale : k - regs + LL_LANE_DIGITS_;
        const unsigned wanted =
            in_digits ? ll_row_place_(ll_form_digit_(form, digit), scale) : 0u;
        const unsigned y = x->basis[k];
        if (wanted ? y != wanted : (y & row) != 0) {
            ll_write_bit_(w, k < regs ? "register" : "lane",
                          k < regs ? k : k - regs, y << scale);
            ll_write_(w, wanted ? ", but must be at byte "
                                : ", in the rows of other lanes\n");
            if (wanted) {
                ll_write_number_(w, wanted << scale);
                ll_write_(w, "\n");
            }
            return 1;
        }
    }
    return 0;
}

/* Private: writes the target's name of a matrix access. */
LL_FN void ll_write_form_(ll_writer_ *w, unsigned op, unsigned form,
                          const ll_target *t) {
    const int amd = t->lanes == 64u || t->hops; /* NVIDIA's have no hops */
    ll_write_(w, t->lanes == 64u  ? "ds_read_tr"
                 : amd            ? "transposing access"
                 : op == LL_READ ? "ldmatrix"
                                 : "stmatrix");
    ll_write_(w, !amd && form != LL_FORM_MATRIX ? ".trans" : "");
    ll_write_(w, form == LL_FORM_BYTES ? " of bytes: " : ": ");
}

/* ll_explain_matrix(a, m, element_bits, op, form, t, buf, size): writes whether
 * a matrix access of target t, LL_FORM_MATRIX to LL_FORM_BYTES, can move
 * registers of layout a from or to memory of layout m. It writes the wavefronts
 * of one access, or the first obstacle, such as "ldmatrix: lane bit 1 is at
 * byte 128, but must be at byte 8". Warp bits are numbered as lane bits, above
 * the lanes' own. */
LL_FN unsigned ll_explain_matrix(ll_layout a, ll_layout m,
                                 unsigned element_bits, unsigned op,
                                 unsigned form, ll_target t, char *buf,
                                 unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    const ll_layout x = ll_solve(m, ll_in_block_(ll_hardware_(a)), LL_FIRST);
    const unsigned scale = ll_element_scale_(element_bits);
    const int is_form = op <= LL_WRITE && form < LL_MAX_FORMS;
    const ll_form code = is_form ? t.forms[op][form] : 0u;
    const int known = ll_is_target_(&t);
    if (known) {
        ll_write_form_(&w, op, form, &t);
    }
    if (!known) {
        ll_write_(&w, ll_strerror(t.err ? t.err : (unsigned)LL_ETARGET));
        ll_write_(&w, "\n");
    } else if (!code) {
        ll_write_(&w, "not available on this target\n");
    } else if (x.err) {
        ll_write_(&w, ll_strerror(x.err));
        ll_write_(&w, "\n");
    } else if (!ll_form_takes_(code, scale)) {
        ll_write_(&w, "elements must have ");
        ll_write_(&w, ll_form_takes_(code, 2)   ? "8, 16 or 32 bits\n"
                      : ll_form_takes_(code, 1) ? "16 bits, or be pairs of 8\n"
                                                : "8 bits\n");
    } else if (!ll_write_misfit_(&w, &x, code, scale)) {
        const ll_step s = ll_step_by_matrices_(&x, form, scale, op, &t);
        ll_write_(&w, s.wavefronts
                          ? ""
                          : "registers must fill words and hold no copies\n");
        if (s.wavefronts) {
            ll_write_count_(&w, s.wavefronts, "wavefront");
            ll_write_(&w, "\n");
        }
    }
    return w.len;
}

/* Private: writes the steps of a tree. */
LL_FN void ll_write_tree_(ll_writer_ *w, const ll_tree *tree) {
    if (tree->own) {
        ll_write_(w, "  each lane combines ");
        ll_write_number_(w, 1u << (tree->n + tree->own));
        ll_write_(w, " registers into ");
        ll_write_number_(w, 1u << tree->n);
        ll_write_(w, "\n");
    }
    if (tree->lanes) {
        ll_write_(w, "  ");
        ll_write_does_(w, ll_tree_sent_(tree), "exchange", " combine");
        ll_write_(w, " the registers of ");
        ll_write_number_(w, 1u << tree->lanes);
        ll_write_(w, " lanes\n");
    }
}

/* Private: writes `what`, then the explanation of a plan inside a plan. */
LL_FN void ll_write_plan_(ll_writer_ *w, const char *what, ll_plan p) {
    ll_write_(w, what);
    char *rest = w->len < w->size ? w->s + w->len : w->s;
    w->len += ll_explain(p, rest, w->len < w->size ? w->size - w->len : 0u);
}

/* ll_explain_reduce(p, buf, size): writes the plan of a reduction in words. */
LL_FN unsigned ll_explain_reduce(ll_reduce_plan p, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    if (p.err) {
        ll_write_no_axis_(&w, p.err, &p.lacks);
        return w.len;
    }
    ll_write_count_(&w, 1u << p.from_bits, "register");
    ll_write_(&w, p.from_bits ? " are reduced to " : " is reduced to ");
    ll_write_number_(&w, 1u << p.to_bits);
    ll_write_(&w, ", about ");
    ll_write_count_(&w, p.cycles, "cycle");
    ll_write_(&w, " per warp\n");
    ll_write_tree_(&w, &p.first);
    if (p.crosses) {
        ll_write_plan_(&w, "  between warps: ", p.between);
        ll_write_tree_(&w, &p.second);
    }
    if (p.reaches) {
        ll_write_plan_(&w, "  between blocks: ",
                       ll_plan_of(p.far, p.near, p.element_bits, p.target));
        const ll_reduce_plan near =
            ll_reduce_of(p.near, p.axis, p.element_bits, p.target);
        ll_write_tree_(&w, &near.first);
        if (near.crosses) {
            ll_write_plan_(&w, "  between warps: ", near.between);
            ll_write_tree_(&w, &near.second);
        }
    }
    return w.len;
}

/* Private: writes the steps of a scan's levels. */
LL_FN void ll_write_levels_(ll_writer_ *w, const ll_scan_plan *p) {
    unsigned in_lane = 0;
    unsigned exchanges = 0;
    for (unsigned k = 0; k < p->levels; ++k) {
        const ll_level *l = &p->level[k];
        in_lane += l->lane ? 0u : 1u;
        exchanges += l->lane ? 1u << (p->n - ll_popcount_(l->gone)) : 0u;
    }
    if (in_lane) {
        ll_write_(w, "  each lane scans ");
        ll_write_count_(w, 1u << (p->n - in_lane), "line");
        ll_write_(w, " of ");
        ll_write_count_(w, 1u << in_lane, "register");
        ll_write_(w, "\n");
    }
    if (exchanges) {
        ll_write_(w, "  ");
        ll_write_does_(w, exchanges, "exchange", " combine");
        ll_write_(w, " the totals of ");
        ll_write_number_(w, 1u << (p->levels - in_lane));
        ll_write_(w, " lanes\n");
    }
}

/* ll_explain_scan(p, buf, size): writes the plan of a scan in words, such as "8
 * registers, about 45 cycles per warp", "each lane scans 2 lines of 4
 * registers", "6 exchanges combine the totals of 8 lanes".
 * Example: ll_explain_scan(ll_scan_of(ll_rows(32, 32, 4), LL_J, 32, LL_SM90),
 *                          0, 0) is 123;
 */
LL_FN unsigned ll_explain_scan(ll_scan_plan p, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    if (p.err) {
        ll_write_no_axis_(&w, p.err, &p.lacks);
        return w.len;
    }
    ll_write_count_(&w, 1u << p.from_bits, "register");
    ll_write_(&w, ", about ");
    ll_write_count_(&w, p.cycles, "cycle");
    ll_write_(&w, " per warp\n");
    if (p.turned) {
        ll_write_plan_(&w, "  conversion to a layout along the axis: ",
                       p.there);
    }
    ll_write_levels_(&w, &p);
    if (p.crosses) {
        ll_write_plan_(&w, "  between warps: ", p.between);
        ll_write_(&w, "  each lane combines ");
        ll_write_count_(&w, 1u << p.crosses, "total");
        ll_write_(&w, " per line\n");
    }
    if (p.turned) {
        ll_write_plan_(&w, "  conversion back: ", p.back);
    }
    return w.len;
}

/* Private: writes how the elements of a gather are fetched. */
LL_FN void ll_write_fetch_(ll_writer_ *w, const ll_gather_plan *p) {
    const ll_step *s = &p->fetch;
    if (p->kind == LL_SHARED) {
        ll_write_(w, "each lane loads the elements at its indices in ");
        ll_write_number_(w, s->count);
        ll_write_(w, s->count == 1u ? " access of " : " accesses of ");
        ll_write_count_(w, s->bytes, "byte");
        ll_write_(w, ", about ");
        ll_write_count_(w, s->wavefronts, "wavefront");
        ll_write_(w, p->turn.count ? " each, in its own order: " : " each");
        if (p->turn.count) {
            ll_write_count_(w, p->turn.count, "select");
            ll_write_(w, " before and ");
            ll_write_number_(w, p->turn.count);
            ll_write_(w, " after");
        }
        ll_write_(w, "\n");
        return;
    }
    if (p->kind == LL_SHUFFLES) {
        ll_write_does_(w, s->count, "shuffle", " exchange");
        ll_write_(w, " all words that indices may select\n");
    } else {
        ll_write_does_(w, s->count, "select", " pick");
        ll_write_(w, " each lane's elements by its indices\n");
    }
}

/* ll_explain_gather(p, buf, size): writes the plan of a gather in words. Its
 * wavefronts are the expected ones for random indices. */
LL_FN unsigned ll_explain_gather(ll_gather_plan p, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    ll_plan q = LL_ZERO;
    unsigned n = 0;
    q.kind = p.kind;
    q.smem_bytes = p.smem_bytes;
    q.cycles = p.cycles;
    q.next_kind = p.next_kind;
    q.next_cycles = p.next_cycles;
    if (p.err) {
        ll_write_no_axis_(&w, p.err, &p.lacks);
        return w.len;
    }
    ll_write_kind_(&w, &q);
    for (unsigned k = 0; k <= p.n; ++k) {
        if (k == p.n || p.step[k].op != LL_OP_RENAME || p.step[k].count) {
            ll_write_(&w, "  ");
            ll_write_number_(&w, ++n);
            ll_write_(&w, ". ");
            k == p.n ? ll_write_fetch_(&w, &p)
                     : ll_write_step_(&w, &p.step[k], "element");
        }
    }
    ll_write_next_(&w, &q);
    return w.len;
}

/* ---- text/draw: Tables and drawings ----------------------------------- */

/* Private: writes a number below 100 in two characters. */
LL_FN void ll_write_padded_(ll_writer_ *w, unsigned x, char pad) {
    if (x < 10u) {
        ll_write_char_(w, pad);
    }
    ll_write_number_(w, x);
}

/* ll_table(a, buf, size): writes the tensor as a table, with the slowest axis
 * as rows and all other axes as columns. Each cell names the place that holds
 * the element, as warp:lane:register, preceded by the block if there are
 * several. If several places hold it, the cell names the place with the fewest
 * bits set; this is certain if at most ten nonzero columns depend on others.
 * Writes the error sentence for a tensor of more than 2^16 elements
 * (LL_ETABLE), for a layout with inputs that are not hardware's (LL_EHARDWARE),
 * or if no place holds some element (LL_ENOTONTO). */
LL_FN unsigned ll_table(ll_layout a, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    const ll_echelon_ rows = ll_echelon_of_(&a);
    const unsigned err = ll_hardware_(a).err;
    ll_relations_ light = LL_ZERO;
    ll_layout where = a;
    where =
        ll_shape_bits_(&a.out) > 16u ? ll_layout_bad_(where, LL_ETABLE) : where;
    where = ll_rinv(ll_layout_bad_(where, err));
    if (where.err) {
        ll_write_(&w, ll_strerror(where.err));
        ll_write_char_(&w, '\n');
        return w.len;
    }
    ll_relations_find_(&light, &rows, &a, 0, rows.n);
    unsigned cols = 1u << ll_shape_start_(&a.out, a.out.n ? a.out.n - 1u : 0u);
    for (unsigned y = 0; y < 1u << ll_shape_bits_(&a.out); ++y) {
        unsigned x = ll_relations_lighten_(&light, ll_apply(where, y));
        if (ll_size(a.in, LL_BLOCK) > 1u) {
            ll_write_number_(&w, ll_unpack(a.in, LL_BLOCK, x));
            ll_write_char_(&w, ':');
        }
        ll_write_number_(&w, ll_unpack(a.in, LL_WARP, x));
        ll_write_char_(&w, ':');
        ll_write_padded_(&w, ll_unpack(a.in, LL_LANE, x), '0');
        ll_write_char_(&w, ':');
        ll_write_number_(&w, ll_unpack(a.in, LL_REGISTER, x));
        ll_write_char_(&w, (y + 1u) % cols ? ' ' : '\n');
    }
    return w.len;
}

typedef struct ll_bank_picture_ {
    unsigned lane[6]; /* byte addresses of the lane bits */
    unsigned start;   /* byte address of lane 0 */
    unsigned bytes;
    unsigned named; /* the last lane that gives an address */
    ll_phase_ phase;
} ll_bank_picture_;

/* Private: finds the access of `bytes` bytes to the places x. It is the access
 * that a plan would choose (rows of a matrix) if that one has `bytes` bytes;
 * otherwise vectors. Returns 0 without one. */
LL_FN int ll_picture_of_(ll_bank_picture_ *p, const ll_layout *x,
                         unsigned scale, unsigned bytes, unsigned op,
                         const ll_target *t) {
    const unsigned bits = ll_log2_(bytes);
    const int vectors = bits >= scale &&
                        bits - scale <= ll_access_meet_(x, 4u - scale).vector;
    const ll_step s = ll_step_cheapest_(x, scale, op, t);
    const int rows = s.bytes == bytes && s.form != LL_FORM_VECTOR;
    p->start = ll_shift_(ll_access_meet_(x, 0).offset, scale);
    p->bytes = bytes;
    p->named = t->lanes - 1u;
    ll_lane_bytes_(x, scale, p->lane);
    if (rows) {
        const ll_form code = t->forms[op][s.form];
        p->named = ll_ones_(ll_row_lanes_(x, &s.at, code, scale, p->lane));
        for (unsigned k = 0; k < 6u; ++k) {
            p->lane[k] <<= scale;
        }
        p->bytes = 1u << ll_form_row_bits_(code);
    }
    p->phase = ll_phase_of_(p->lane, p->bytes, op, t);
    return rows || vectors;
}

/* Private: returns the places of a in memory m, for the first block and pass,
 * without registers that m lacks; or a layout with the error. */
LL_FN ll_layout ll_picture_places_(ll_layout a, ll_layout m,
                                   unsigned element_bits, unsigned op,
                                   const ll_target *t) {
    a = ll_in_block_(ll_hardware_(a));
    const ll_layout bad = ll_layout_worst_(a, m);
    const ll_span_ none = LL_ZERO;
    const ll_span_ all = ll_span_of_columns_(&m, 0, ll_shape_bits_(&m.in));
    unsigned used = 0; /* columns other than 0, which are padding */
    for (unsigned k = 0; k < all.n; ++k) {
        used += all.v[k] ? 1u : 0u;
    }
    const int plain =
        m.in.n == 1u && ll_span_independent_(&none, &all).n == used;
    const int cluster = m.in.n == 2u && m.in.dim[1] == LL_BLOCK;
    const int err = !ll_is_target_(t)                 ? LL_ETARGET
                    : op > LL_WRITE                   ? LL_EACCESS
                    : ll_element_scale_(element_bits) > 4u  ? LL_EELEMENT
                    : 1u << a.in.bits[1] != t->lanes  ? LL_ELANES
                    : (plain || cluster) && m.in.dim[0] == LL_OFFSET
                        ? LL_OK
                        : LL_EMEMORY;
    if (bad.err || err) {
        return ll_layout_bad_(bad, t->err ? t->err : (unsigned)err);
    }
    const ll_layout x = ll_solve(m, a, LL_FIRST);
    unsigned lacks = 0;
    for (unsigned k = 0; x.err == LL_ENOSOLUTION && k < a.in.bits[0]; ++k) {
        lacks |= ll_reaches(m, a.basis[k] ^ m.offset) ? 0u : 1u << k;
    }
    return lacks ? ll_solve(m, ll_drop_registers_(a, lacks), LL_FIRST) : x;
}

/* Private: finds the picture of an access, or returns the error. */
LL_FN unsigned ll_find_picture_(ll_bank_picture_ *p, ll_layout a,
                                const ll_layout *m, unsigned element_bits,
                                unsigned bytes, unsigned op,
                                const ll_target *t) {
    ll_layout x = ll_picture_places_(a, *m, element_bits, op, t);
    const unsigned scale = ll_element_scale_(element_bits);
    if (x.err || ll_picture_of_(p, &x, scale, bytes, op, t)) {
        return x.err;
    }
    a = ll_hardware_(a);
    const unsigned threads =
        op == LL_READ && scale < 2u ? a.in.bits[1] + a.in.bits[2] : 0u;
    for (unsigned w = 0; w < threads; ++w) { /* over-reads */
        const ll_layout both = ll_layout_with_both_(&a, w);
        x = ll_picture_places_(both, *m, element_bits, op, t);
        if (!x.err && ll_picture_of_(p, &x, scale, bytes, op, t)) {
            return LL_OK;
        }
    }
    return LL_EACCESS;
}

/* Private: returns lane k of the first phase; ll_lane_at_: its address. */
LL_FN unsigned ll_lane_of_(const ll_bank_picture_ *p, unsigned k) {
    return ll_lane_address_(p->phase.number, k);
}

LL_FN unsigned ll_lane_at_(const ll_bank_picture_ *p, unsigned k) {
    return ll_lane_address_(p->lane, ll_lane_of_(p, k)) ^ p->start;
}

/* Private: draws one cell: the first lane of the phase that accesses it. */
LL_FN void ll_draw_cell_(ll_writer_ *w, const ll_bank_picture_ *p,
                         unsigned address, unsigned bank_bytes) {
    unsigned reach = p->bytes > bank_bytes ? p->bytes : bank_bytes;
    for (unsigned k = 0; k < 1u << p->phase.n; ++k) {
        if (((ll_lane_at_(p, k) ^ address) & ~(reach - 1u)) == 0) {
            ll_write_padded_(w, ll_lane_of_(p, k), ' ');
            return;
        }
    }
    ll_write_(w, " .");
}

/* Private: returns the start of the lowest row of banks, from byte `from` on,
 * that the phase touches; ~0 if there is none. A row has `row` bytes. */
LL_FN unsigned long long ll_picture_next_row_(const ll_bank_picture_ *p,
                                              unsigned long long from,
                                              unsigned row) {
    unsigned long long next = ~0ull;
    for (unsigned k = 0; k < 1u << p->phase.n; ++k) {
        unsigned long long at = ll_lane_at_(p, k) & ~(row - 1u);
        next = at >= from && at < next ? at : next;
    }
    return next;
}

/* ll_draw(a, m, element_bits, bytes, op, t, buf, size): draws the first phase
 * of an access of `bytes` bytes per lane that moves registers of layout a from
 * or to memory of layout m.
 *
 * Each line is a row of banks: the words of memory from one word of bank 0 to
 * the last bank. It has a cell of two characters per bank: the number of the
 * lane that accesses the word there, or `.` if none does. Lines that no lane
 * accesses are left out. Lanes in two lines of one column access different
 * words of the same bank: a bank conflict. For matrix accesses it draws the
 * rows, each with the lane that gives its address. The memory of a plan of
 * several passes lacks registers of a; then it draws the first pass.
 *
 * If there is no such access, it writes the error sentence: the error of a or
 * m, LL_ETARGET, LL_EELEMENT, LL_ELANES, LL_EHARDWARE, LL_EMEMORY (m has inputs
 * other than offset, or offset and the block of a cluster, or holds an element
 * twice; zero columns are padding), LL_EMATCH, LL_ENOSOLUTION (m lacks elements
 * that lanes hold), LL_EACCESS. */
LL_FN unsigned ll_draw(ll_layout a, ll_layout m, unsigned element_bits,
                       unsigned bytes, unsigned op, ll_target t, char *buf,
                       unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    ll_bank_picture_ p = LL_ZERO;
    const unsigned err =
        ll_find_picture_(&p, a, &m, element_bits, bytes, op, &t);
    if (err) {
        ll_write_(&w, ll_strerror(err));
        ll_write_(&w, "\n");
        return w.len;
    }
    unsigned row = t.banks[op][ll_access_width_(p.bytes)] * t.bank_bytes;
    unsigned long long line = ll_picture_next_row_(&p, 0, row);
    while (line != ~0ull) {
        for (unsigned b = 0; b < row; b += t.bank_bytes) {
            ll_draw_cell_(&w, &p, (unsigned)line + b, t.bank_bytes);
            ll_write_char_(&w, b + t.bank_bytes < row ? ' ' : '\n');
        }
        line = ll_picture_next_row_(&p, line + row, row);
    }
    return w.len;
}

/* ---- sort/plan: Sorts ------------------------------------------------- */

/* Optional: define LL_SORTS before including the header.
 *
 * A sort along an axis is a bitonic network over the coordinates. Phase p turns
 * sorted runs of 2^(p-1) elements into runs of 2^p. Each of its steps compares
 * the elements at coordinates x and x ^ v: one place keeps the earlier element,
 * the other the later one. If A d = v for an input d of layout a, place p and
 * place p ^ d of a hold such a pair, whatever else a does. With d in registers
 * alone, the step is a compare and exchange within each lane. With d in
 * registers and lanes, it is one shuffle per word. Otherwise every lane stores
 * its elements and loads its partner's. Copies stay equal.
 *
 * Coordinates are paired in one of two ways. x is paired with x ^ 2^s in every
 * phase from s + 1 on. At the start of a phase this needs runs of alternating
 * order. In a flip, x is paired with x ^ (2^p - 1) instead. Then all runs have
 * one order, and no lane needs to know its direction. A phase begins with a
 * flip if the flip goes no further than the phase's highest bit does.
 *
 * The numbering of the coordinates matters only at the end, and the steps of
 * low bits are the most frequent. A turned sort therefore renumbers the axis:
 * its lowest bits are vectors that registers hold, then vectors of lanes, then
 * vectors of warps. At the end it converts the sorted elements to layout a.
 *
 * The first 2^m elements of a line need no full sort. Runs of 2^m elements are
 * sorted, pairs of runs are compared, the earlier element of each pair stays,
 * and these elements are sorted again. Pairs in a lane leave one register. */

#ifdef LL_SORTS

/* One step. The partner of an element is at the position, and in the thread,
 * that differ from its own by these. */
typedef struct ll_sort_step {
    unsigned with; /* XORed to the position */
    unsigned lane; /* XORed to the thread number, lane and warp; 0: in a lane */
    unsigned up;   /* bits of the coordinate; their XOR is 1 where the later
                      element of the pair belongs */
    unsigned both; /* 1: both places keep the earlier element */
    unsigned half; /* 1: then only the lower half of the positions stays */
} ll_sort_step;

/* A plan for the sort of a layout along an axis. */
typedef struct ll_sort_plan {
    unsigned err;
    unsigned lanes;      /* of a warp */
    unsigned threads;    /* of a block */
    unsigned element_bits;
    unsigned from_bits;  /* log2 of the registers before */
    unsigned to_bits;    /* log2 of the registers after */
    unsigned smem_bytes; /* of shared memory */
    unsigned cycles;     /* of a warp, estimated */
    unsigned axis;       /* log2 of the size of the axis */
    unsigned top;        /* log2 of the elements of a line that are kept */
    unsigned n;          /* log2 of the positions: registers without copies */
    unsigned reg[LL_MAX_BITS]; /* register of bit k of a position */
    unsigned at[LL_MAX_BITS];  /* position of bit k of a register */
    unsigned x[LL_MAX_BITS];   /* coordinate of bit k of a position */
    unsigned first;            /* coordinate of position 0 of thread 0 */
    unsigned moving;           /* bits of the coordinate that threads change */
    ll_map thread;             /* thread number -> coordinate, to be XORed */
    unsigned with[LL_MAX_BITS]; /* to change bit k of a coordinate: XORed */
    unsigned lane[LL_MAX_BITS]; /* to the position and to the thread number */
    unsigned flips;      /* bit p: phase p begins with a flip */
    unsigned steps;
    unsigned trips;      /* steps through shared memory */
    unsigned trip_bytes; /* shared memory of one trip */
    unsigned buffers;    /* 2: trips alternate, with one barrier each */
    unsigned turned;     /* 1: a conversion follows */
    ll_plan back;        /* if turned: that conversion */
    ll_layout to;        /* the layout of the result */
    ll_lack lacks;
} ll_sort_plan;

/* Private: returns the step of bit s of the coordinate. The earlier element
 * goes where bits s and `turn` agree or, if `turn` is the axis, where bit s is
 * 0. */
LL_FN ll_sort_step ll_sort_meet_(const ll_sort_plan *p, unsigned s,
                                 unsigned turn) {
    ll_sort_step m = LL_ZERO;
    m.with = p->with[s];
    m.lane = p->lane[s];
    m.up = 1u << s | (turn < p->axis ? 1u << turn : 0u);
    return m;
}

/* Private: returns the first step of phase s + 1 as a flip. */
LL_FN ll_sort_step ll_sort_flip_(const ll_sort_plan *p, unsigned s,
                                 unsigned turn) {
    ll_sort_step m = ll_sort_meet_(p, s, turn);
    for (unsigned k = 0; k < s; ++k) {
        m.with ^= p->with[k];
        m.lane ^= p->lane[k];
    }
    return m;
}

/* Private: returns the bit of the coordinate that reverses the order of the
 * runs of phase `phase`; p->axis if no bit does. */
LL_FN unsigned ll_sort_turn_(const ll_sort_plan *p, unsigned phase) {
    const unsigned next = ll_shift_down_(p->flips, phase + 1u) & 1u;
    return phase < p->top && next ? p->axis : phase;
}

/* Private: returns step k of a sort. */
LL_FN ll_sort_step ll_sort_step_at_(const ll_sort_plan *p, unsigned k) {
    ll_sort_step m = LL_ZERO;
    unsigned phase = 1;
    while (phase <= p->top && k >= phase) {
        k -= phase;
        ++phase;
    }
    if (phase <= p->top) {
        const unsigned turn = ll_sort_turn_(p, phase);
        return k == 0 && ll_shift_down_(p->flips, phase) & 1u
                   ? ll_sort_flip_(p, phase - 1u, turn)
                   : ll_sort_meet_(p, phase - 1u - k, turn);
    }
    const unsigned s = p->top + k / (p->top + 1u);
    const unsigned next = k % (p->top + 1u);
    if (next) {
        return ll_sort_meet_(p, p->top - next, s + 1u);
    }
    m = ll_sort_meet_(p, s, p->axis);
    m.both = 1;
    m.half = m.lane == 0;
    return m;
}

/* Private: returns how far a step goes: 0 in a lane, 1 a warp, 2 a block. */
LL_FN unsigned ll_sort_far_(const ll_sort_plan *p, unsigned lane) {
    return lane >= p->lanes ? 2u : lane ? 1u : 0u;
}

/* Private: counts the steps, the trips through shared memory and the cycles. In
 * each step an element of up to 32 bits takes one instruction; a larger one
 * takes a comparison, and a select per word. */
LL_FN void ll_sort_cost_(ll_sort_plan *p, const ll_target *t) {
    const unsigned parts = ll_element_words_(p->element_bits);
    const unsigned each = parts > 1u ? parts + 1u : 1u;
    unsigned long long cost = 0;
    unsigned n = p->n;
    p->steps = p->top * (p->top + 1u) / 2u +
               (p->axis - p->top) * (p->top + 1u);
    for (unsigned k = 0; k < p->steps; ++k) {
        const ll_sort_step m = ll_sort_step_at_(p, k);
        const unsigned words = ll_word_count_(
            n, ll_elements_per_word_(p->element_bits), p->element_bits);
        const unsigned far = ll_sort_far_(p, m.lane);
        n -= m.half;
        cost += (unsigned long long)(each << n) * t->cost[LL_COST_LOGIC];
        if (far == 1u) {
            cost += (unsigned long long)words * t->cost[LL_COST_SHUFFLE];
        } else if (far == 2u) {
            const unsigned bytes = 4u * words * p->threads;
            cost += 2ull * words * t->cost[LL_COST_MEMORY] +
                    t->cost[LL_COST_BLOCK];
            p->trip_bytes = p->trip_bytes > bytes ? p->trip_bytes : bytes;
            ++p->trips;
        }
    }
    p->buffers = p->trips > 1u && p->trip_bytes <= 24576u ? 2u : 1u;
    p->smem_bytes = p->trips ? p->buffers * p->trip_bytes : 0u;
    cost = (cost + 7u) / 8u;
    p->cycles = cost > 0xffffffffu ? ~0u : (unsigned)cost;
}

/* Private: returns a basis of the axis: vectors that registers of a hold, then
 * vectors of lanes, then vectors of warps. *own: number of the first. */
LL_FN ll_span_ ll_sort_vectors_(const ll_layout *a, const ll_span_ *axis,
                                unsigned *own) {
    ll_span_ l = LL_ZERO;
    for (unsigned k = 0; k < 3u; ++k) {
        const ll_span_ units =
            ll_span_units_(0, ll_shape_start_(&a->in, k + 1u));
        const ll_span_ into = ll_inputs_into_(a, &units, axis);
        const ll_span_ image = ll_span_images_(a, &into);
        ll_span_append_(&l, &image, LL_MAX_BITS);
        *own = k ? *own : l.n;
    }
    return l;
}

/* Private: returns y with its part along the axis in new coordinates: bit k
 * stands for vector k of `order`. */
LL_FN unsigned ll_recounted_(unsigned y, const ll_span_ *order,
                             unsigned start) {
    const unsigned axis = ll_shift_(ll_ones_(order->n), start);
    ll_span_ part = LL_ZERO;
    ll_span_push_(&part, y & axis);
    const ll_span_ terms = ll_span_terms_(order, &part);
    return (y & ~axis) | ll_shift_(terms.v[0], start);
}

/* Private: finds the positions: first the registers of coordinate bits below
 * `top`, then the registers of other lines, then the registers of the other
 * coordinate bits, highest first. A lane drops positions from the end. d has
 * the input of each coordinate bit. */
LL_FN void ll_sort_positions_(ll_sort_plan *p, const ll_layout *c,
                              const ll_span_ *d) {
    const unsigned regs = c->in.bits[0];
    const ll_span_ units = ll_span_units_(0, regs);
    const ll_span_ images = ll_span_images_(c, &units);
    ll_span_ low = LL_ZERO;
    ll_span_ high = LL_ZERO;
    for (unsigned k = 0; k < d->n; ++k) {
        const unsigned m = k < p->top ? k : d->n - 1u + p->top - k;
        if (d->v[m] >> regs == 0) {
            ll_span_push_(m < p->top ? &low : &high, d->v[m]);
        }
    }
    ll_span_ all = low;
    ll_span_append_(&all, &high, LL_MAX_BITS);
    const ll_span_ have = ll_span_images_(c, &all);
    const ll_span_ rest = ll_span_fresh_(&have, &units, &images);
    for (unsigned k = 0; k < rest.n + high.n; ++k) {
        ll_span_push_(&low, k < rest.n ? rest.v[k] : high.v[k - rest.n]);
    }
    const ll_span_ kept = ll_span_images_(c, &low);
    const ll_span_ at = ll_span_terms_(&kept, &images);
    p->n = low.n;
    for (unsigned k = 0; k < low.n; ++k) {
        p->reg[k] = low.v[k];
        p->x[k] = kept.v[k];
    }
    for (unsigned k = 0; k < regs; ++k) {
        p->at[k] = at.v[k];
    }
}

/* Private: sets a thread's coordinates. start: lowest bit of the axis. */
LL_FN void ll_sort_threads_(ll_sort_plan *p, const ll_layout *c,
                            unsigned start) {
    const unsigned ones = ll_ones_(p->axis);
    ll_layout thread = ll_thread_places_(c, 0, 0);
    for (unsigned k = 0; k < p->n; ++k) {
        p->x[k] = ll_shift_down_(p->x[k], start) & ones;
    }
    for (unsigned k = 0; k < ll_shape_bits_(&thread.in); ++k) {
        thread.basis[k] = ll_shift_down_(thread.basis[k], start) & ones;
        p->moving |= thread.basis[k];
    }
    p->first = ll_shift_down_(c->offset, start) & ones;
    p->thread = ll_map_of(thread);
}

/* Private: returns layout c with only the first elements of each line, and
 * positions in place of registers. Axis `at` starts at packed bit `start`. */
LL_FN ll_layout ll_sort_result_(const ll_sort_plan *p, const ll_layout *c,
                                unsigned at, unsigned start) {
    const unsigned regs = c->in.bits[0];
    const unsigned gone =
        ll_shift_(ll_ones_(p->axis) & ~ll_ones_(p->top), start);
    ll_layout q = *c;
    unsigned dropped = 0;
    for (unsigned k = p->top; k < p->axis; ++k) {
        dropped += p->lane[k] ? 0u : 1u;
    }
    const unsigned n = p->n - dropped;
    for (unsigned k = 0; k < n; ++k) {
        q.basis[k] = ll_bits_close_(ll_layout_linear_(c, p->reg[k]), gone);
    }
    for (unsigned k = regs; k < ll_shape_bits_(&c->in); ++k) {
        q.basis[n + k - regs] = ll_bits_close_(c->basis[k], gone);
    }
    q.in.bits[0] = (unsigned short)n;
    while (q.in.n > 2u && q.in.bits[q.in.n - 1u] == 0) {
        --q.in.n; /* no warps and no blocks */
    }
    q.out.bits[at] = (unsigned short)p->top;
    q.offset = ll_bits_close_(c->offset, gone);
    return q;
}

/* Private: returns the sort in layout a; `order`: its vectors. */
LL_FN ll_sort_plan ll_sort_plan_by_(const ll_layout *a, unsigned at,
                                    const ll_span_ *order, unsigned top,
                                    unsigned element_bits, const ll_target *t) {
    const unsigned start = ll_shape_start_(&a->out, at);
    const unsigned regs = a->in.bits[0];
    const ll_span_ columns = ll_span_of_columns_(a, 0, ll_shape_bits_(&a->in));
    const ll_span_ d = ll_span_terms_(&columns, order); /* registers first */
    ll_sort_plan p = LL_ZERO;
    ll_layout c = *a;
    p.lanes = t->lanes;
    p.threads = ll_threads_of_(a);
    p.element_bits = ll_element_held_(element_bits);
    p.from_bits = regs;
    p.axis = order->n;
    p.top = top;
    for (unsigned k = 0; k < ll_shape_bits_(&c.in); ++k) {
        c.basis[k] = ll_recounted_(a->basis[k], order, start);
    }
    c.offset = ll_recounted_(a->offset, order, start);
    ll_sort_positions_(&p, &c, &d);
    ll_sort_threads_(&p, &c, start);
    for (unsigned k = 0; k < order->n; ++k) {
        p.with[k] = ll_vectors_xor_(p.at, regs, d.v[k] & ll_ones_(regs));
        p.lane[k] = ll_shift_down_(d.v[k], regs);
    }
    for (unsigned k = 0; k < order->n; ++k) {
        const unsigned flip = ll_sort_flip_(&p, k, p.axis).lane;
        p.flips |= ll_sort_far_(&p, flip) <= ll_sort_far_(&p, p.lane[k])
                       ? 2u << k
                       : 0u;
    }
    p.to = ll_sort_result_(&p, &c, at, start);
    p.to_bits = p.to.in.bits[0];
    ll_sort_cost_(&p, t);
    return p;
}

/* Private: returns p as a turned sort: its result is converted to layout a. */
LL_FN ll_sort_plan ll_sort_turned_(ll_sort_plan p, const ll_layout *a,
                                   const ll_target *t) {
    p.turned = 1;
    p.back = ll_plan_of(p.to, *a, p.element_bits, *t);
    p.err = p.back.err;
    p.cycles += p.back.cycles;
    p.smem_bytes = p.back.smem_bytes > p.smem_bytes ? p.back.smem_bytes
                                                    : p.smem_bytes;
    p.to_bits = a->in.bits[0];
    for (unsigned k = 0; k < p.n; ++k) {
        p.at[k] = 1u << k;
    }
    return p;
}

/* ll_sort_of(a, d, element_bits, t): returns the plan that sorts the elements
 * of layout a along axis d on target t. The result has layout a. element_bits:
 * bits of a whole element, key and value together. Equal keys come in any
 * order, the same in all copies. Fails as ll_scan_of does, for example with
 * LL_EBLOCK if the axis crosses blocks.
 *
 * ll_top_of(a, d, count, element_bits, t): returns the plan that finds the
 * first `count` elements of each line, in their order. count is a power of two
 * up to the size of the axis. The result has the layout .to, in which axis d
 * has that size. Fails as ll_sort_of does, and with LL_ETOP (count).
 * Example: ll_sort_of(ll_rows(32, 32, 4), LL_J, 32, LL_SM90).steps is 15;
 * Example: ll_sort_of(ll_rows(32, 32, 4), LL_J, 32, LL_SM90).trips is 0;
 * Example: ll_sort_of(ll_rows(32, 32, 4), LL_I, 32, LL_SM90).trips is 3;
 * Example: ll_top_of(L("register: j0 j1 j2 | lane: j3 j4 j5 j6 j7"), LL_J, 4,
 *                    32, LL_SM90).to is
 *          L("register: j0 | lane: j1 0 0 0 0");
 * Example: ll_top_of(ll_rows(32, 32, 4), LL_J, 64, 32, LL_SM90).err is LL_ETOP;
 */
LL_FN ll_sort_plan ll_sort_of(ll_layout a, ll_dim d, unsigned element_bits,
                              ll_target t) {
    const ll_layout whole = a;
    ll_sort_plan p = LL_ZERO;
    ll_span_ axis = LL_ZERO;
    unsigned own = 0;
    a = ll_layout_scannable_(a, d, element_bits, &t, &axis);
    p.lacks = ll_lack_of_(&a);
    p.err = a.err;
    if (p.err) {
        return p;
    }
    const unsigned at = ll_axis_at_(&a.out, d);
    const ll_span_ held = ll_sort_vectors_(&a, &axis, &own);
    p = ll_sort_plan_by_(&a, at, &axis, axis.n, element_bits, &t);
    p.to_bits = p.from_bits;
    ll_sort_plan q = ll_sort_plan_by_(&a, at, &held, axis.n, element_bits, &t);
    if (q.cycles < p.cycles) {
        q = ll_sort_turned_(q, &a, &t);
        p = q.err || q.cycles >= p.cycles ? p : q;
    }
    p.to = whole;
    return p;
}

/* Private: returns an order of coordinate bits: `low` registers, lanes and
 * warps up to `top` bits, the other registers, and the rest. */
LL_FN ll_span_ ll_top_order_(const ll_span_ *held, unsigned own, unsigned low,
                             unsigned top) {
    ll_span_ order = LL_ZERO;
    for (unsigned k = 0; k < low; ++k) {
        ll_span_push_(&order, held->v[k]);
    }
    for (unsigned k = own; k < own + top - low; ++k) {
        ll_span_push_(&order, held->v[k]);
    }
    ll_span_append_(&order, held, LL_MAX_BITS);
    return order;
}

LL_FN ll_sort_plan ll_top_of(ll_layout a, ll_dim d, unsigned count,
                             unsigned element_bits, ll_target t) {
    ll_sort_plan best = LL_ZERO;
    ll_span_ axis = LL_ZERO;
    unsigned own = 0;
    a = ll_layout_scannable_(a, d, element_bits, &t, &axis);
    best.lacks = ll_lack_of_(&a);
    best.err = a.err;
    const unsigned top = ll_log2_(count);
    if (!best.err && (top > axis.n || count != 1u << top)) {
        best.err = LL_ETOP;
    }
    if (best.err) {
        return best;
    }
    const ll_span_ held = ll_sort_vectors_(&a, &axis, &own);
    for (unsigned low = 0; low <= own && low <= top; ++low) {
        if (top - low <= held.n - own) {
            const ll_span_ order = ll_top_order_(&held, own, low, top);
            const ll_sort_plan p = ll_sort_plan_by_(
                &a, ll_axis_at_(&a.out, d), &order, top, element_bits, &t);
            best = best.threads && best.cycles <= p.cycles ? best : p;
        }
    }
    for (unsigned k = 0; k < best.n; ++k) {
        best.at[k] = 1u << k;
    }
    return best;
}

/* Private: writes how many steps go as far as `far`, unless 0. */
LL_FN void ll_write_sort_steps_(ll_writer_ *w, const ll_sort_plan *p,
                                unsigned far, const char *where) {
    unsigned steps = 0;
    for (unsigned k = 0; k < p->steps; ++k) {
        steps += ll_sort_far_(p, ll_sort_step_at_(p, k).lane) == far ? 1u : 0u;
    }
    if (steps) {
        ll_write_(w, "  ");
        ll_write_count_(w, steps, "step");
        ll_write_(w, where);
    }
}

/* ll_explain_sort(p, buf, size): writes the plan of a sort in words, such as "8
 * registers, 15 steps, about 123 cycles per warp", "9 steps within a lane".
 * Returns the length of the whole text.
 * Example: ll_explain_sort(ll_sort_of(ll_rows(32, 32, 4), LL_J, 32, LL_SM90),
 *                          0, 0) is 97;
 */
LL_FN unsigned ll_explain_sort(ll_sort_plan p, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    if (p.err) {
        ll_write_no_axis_(&w, p.err, &p.lacks);
        return w.len;
    }
    ll_write_count_(&w, 1u << p.from_bits, "register");
    ll_write_(&w, ", ");
    ll_write_count_(&w, p.steps, "step");
    ll_write_(&w, ", about ");
    ll_write_count_(&w, p.cycles, "cycle");
    ll_write_(&w, " per warp\n");
    ll_write_sort_steps_(&w, &p, 0, " within a lane\n");
    ll_write_sort_steps_(&w, &p, 1, " between lanes\n");
    ll_write_sort_steps_(&w, &p, 2, " between warps, through ");
    if (p.trips) {
        ll_write_count_(&w, p.buffers * p.trip_bytes, "byte");
        ll_write_(&w, " of shared memory\n");
    }
    if (p.turned) {
        ll_write_plan_(&w, "  conversion back: ", p.back);
    }
    return w.len;
}

/* ll_sort_cycles(a, d, element_bits, t, bytes): returns the cycles of
 * ll_sort_of, ~0 if it fails, and sets *bytes to its shared memory. This is the
 * price of a sort for the layout engine: e.sort = ll_sort_cycles. */
LL_FN unsigned ll_sort_cycles(ll_layout a, ll_dim d, unsigned element_bits,
                              ll_target t, unsigned *bytes) {
    const ll_sort_plan p = ll_sort_of(a, d, element_bits, t);
    *bytes = p.smem_bytes;
    return p.err ? ~0u : p.cycles;
}

/* The function that gives the layout engine the price of a sort; 0: none. */
#define LL_SORTER_ ll_sort_cycles

#else
#define LL_SORTER_ 0
#endif /* LL_SORTS */

/* ---- sort/moves: Sorts in kernels ------------------------------------- */

#ifdef LL_SORTS
#ifdef LL_DEVICE

/* A key with its value, and the two orders of keys. */
template <class K_, class V_> struct ll_keyed {
    K_ key;
    V_ value;
};

template <unsigned DOWN_> struct ll_key_order_ {};
LL_FN ll_key_order_<0> ll_up() { return {}; }
LL_FN ll_key_order_<1> ll_down() { return {}; }

/* Whether T is an integer. Another type is a number if it converts to float. */
template <class T_> struct ll_is_whole_ { enum : bool { value = false }; };
#define LL_WHOLE_(type)                                                     \
    template <> struct ll_is_whole_<type> { enum : bool { value = true }; };
LL_WHOLE_(bool)
LL_WHOLE_(char)
LL_WHOLE_(signed char)
LL_WHOLE_(unsigned char)
LL_WHOLE_(short)
LL_WHOLE_(unsigned short)
LL_WHOLE_(int)
LL_WHOLE_(unsigned)
LL_WHOLE_(long)
LL_WHOLE_(unsigned long)
LL_WHOLE_(long long)
LL_WHOLE_(unsigned long long)
#undef LL_WHOLE_

template <unsigned BYTES_> struct ll_whole_of_ { typedef void type; };
template <> struct ll_whole_of_<1> { typedef signed char type; };
template <> struct ll_whole_of_<2> { typedef short type; };
template <> struct ll_whole_of_<4> { typedef int type; };
template <> struct ll_whole_of_<8> { typedef long long type; };

/* Whether a T converts to float. Overload resolution picks one of two
 * functions, which return types of different sizes. */
template <class T_> struct ll_is_number_ {
    template <class U_, class = decltype((float)*(U_ *)0)>
    LL_HOST_DEVICE_ static char test(int);
    template <class U_> LL_HOST_DEVICE_ static long test(long);
    enum : bool { value = sizeof(test<T_>(0)) == 1 && !__is_enum(T_) };
};

/* Maps keys to integers of the same order. A floating-point number is a sign
 * and a magnitude. If the sign is set, the bits of the magnitude are inverted;
 * a second inversion restores the number. */
template <class K_, bool WHOLE_ = ll_is_whole_<K_>::value>
struct ll_sort_code_ {
    typedef typename ll_whole_of_<sizeof(K_)>::type type;
    static_assert(ll_is_number_<K_>::value,
                  "ll: LL_SORT: ll_up and ll_down order integers, "
                  "floating-point numbers, and ll_keyed with such a key; "
                  "for other types give a function that says whether x comes "
                  "before y");
    LL_DEVICE type turned(type x) {
        constexpr unsigned high = 8u * sizeof(type) - 1u;
        return (type)(x ^ ((x >> high) & (type)~((type)1 << high)));
    }
    LL_DEVICE type of(const K_ &key) {
        type x = 0;
        LL_MEMCPY_(&x, &key, sizeof x);
        return turned(x);
    }
    LL_DEVICE K_ back(const type &code) {
        const type x = turned(code);
        K_ key;
        LL_MEMCPY_((void *)&key, &x, sizeof x);
        return key;
    }
};

template <class K_> struct ll_sort_code_<K_, true> {
    typedef K_ type;
    LL_DEVICE type of(const K_ &key) { return key; }
    LL_DEVICE K_ back(const type &code) { return code; }
};

template <class K_, class W_> struct ll_sort_code_<ll_keyed<K_, W_>, false> {
    typedef ll_keyed<typename ll_sort_code_<K_>::type, W_> type;
    LL_DEVICE type of(const ll_keyed<K_, W_> &x) {
        return {ll_sort_code_<K_>::of(x.key), x.value};
    }
    LL_DEVICE ll_keyed<K_, W_> back(const type &x) {
        return {ll_sort_code_<K_>::back(x.key), x.value};
    }
};

/* How elements of T are sorted. type: what they are during the sort. stay()
 * returns the element that a place keeps. later: the place is the later one of
 * two. BOTH: both places keep the earlier element; otherwise each keeps one. Of
 * two equal elements, the one in the earlier place comes first. */
template <class T_, class ORDER_> struct ll_sorter_ {
    typedef T_ type;
    LL_DEVICE T_ of(const T_ &x) { return x; }
    LL_DEVICE T_ back(const T_ &x) { return x; }
    template <bool BOTH_>
    LL_DEVICE T_ stay(const T_ &own, const T_ &other, bool later,
                      ORDER_ order) {
        const bool goes =
            later ? order(own, other) != BOTH_ : order(other, own);
        return goes ? other : own;
    }
};

template <class T_, unsigned DOWN_>
struct ll_sorter_<T_, ll_key_order_<DOWN_>> : ll_sort_code_<T_> {
    typedef typename ll_sort_code_<T_>::type type;
    template <bool BOTH_, class K_>
    LL_DEVICE K_ pick(const K_ &own, const K_ &other, bool later) {
        const K_ low = other < own ? other : own;
        const K_ high = own < other ? other : own;
        return (!BOTH_ && later) != (DOWN_ != 0) ? high : low;
    }
    template <bool BOTH_, class K_, class W_>
    LL_DEVICE ll_keyed<K_, W_> pick(const ll_keyed<K_, W_> &own,
                                    const ll_keyed<K_, W_> &other,
                                    bool later) {
        const K_ &x = DOWN_ != 0 ? other.key : own.key;
        const K_ &y = DOWN_ != 0 ? own.key : other.key;
        const bool goes = later ? (x < y) != BOTH_ : y < x;
        return {goes ? other.key : own.key, goes ? other.value : own.value};
    }
    template <bool BOTH_>
    LL_DEVICE type stay(const type &own, const type &other, bool later,
                        ll_key_order_<DOWN_>) {
        return pick<BOTH_>(own, other, later);
    }
};

/* Step K of a sort. ll_sort_place_ says whether the later element of a pair
 * belongs at position P, apart from the thread's part. */
template <class SORT_, unsigned K_> struct ll_sort_nth_ {
    static constexpr ll_sort_step value = ll_sort_step_at_(&LL_GET(SORT_), K_);
};

template <class SORT_, unsigned K_, unsigned P_> struct ll_sort_place_ {
    enum : unsigned {
        x = ll_vectors_xor_(LL_GET(SORT_).x, LL_GET(SORT_).n, P_) ^
            LL_GET(SORT_).first,
        later = ll_popcount_(x & ll_sort_nth_<SORT_, K_>::value.up) & 1u
    };
};

/* Returns the XOR of the coordinate bits that a step looks at. */
template <class SORT_, unsigned K_>
LL_DEVICE unsigned ll_sort_side_(unsigned x) {
    constexpr unsigned up =
        ll_sort_nth_<SORT_, K_>::value.up & LL_GET(SORT_).moving;
    if constexpr (up == 0) {
        return 0;
    } else if constexpr ((up & (up - 1u)) == 0) {
        return x >> ll_log2_(up) & 1u;
    } else {
        constexpr unsigned low = up & (0u - up);
        return (x >> ll_log2_(low) ^ x >> ll_log2_(up ^ low)) & 1u;
    }
}

/* A trip of N words through shared memory, in vectors of one access each. The
 * first vectors of all threads lie side by side, then the second. */
template <class V_, unsigned THREADS_, unsigned N_> struct ll_trip_ {
    enum : unsigned {
        words = N_ < 4u ? N_ : 4u,
        bytes = 4u * words,
        stride = bytes * THREADS_
    };
    typedef ll_seq_below_<N_ / words> each;
    template <unsigned K_, unsigned... W_>
    LL_DEVICE void put(const ll_file_<N_> &f, unsigned at, ll_seq_<W_...>) {
        V_::template put<LL_FORM_VECTOR, bytes>(at + K_ * stride,
                                                {{f.w[K_ * words + W_]...}});
    }
    template <unsigned... K_>
    LL_DEVICE void put_all(const ll_file_<N_> &f, unsigned at,
                           ll_seq_<K_...>) {
        (put<K_>(f, at, ll_seq_below_<words>()), ...);
    }
    template <unsigned K_, unsigned... W_>
    LL_DEVICE void take(ll_file_<N_> &f, unsigned at, ll_seq_<W_...>) {
        const ll_words v =
            V_::template take<LL_FORM_VECTOR, bytes>(at + K_ * stride);
        ((f.w[K_ * words + W_] = v.w[W_]), ...);
    }
    template <unsigned... K_>
    LL_DEVICE ll_file_<N_> take_all(unsigned at, ll_seq_<K_...>) {
        ll_file_<N_> f = {{0}};
        (take<K_>(f, at, ll_seq_below_<words>()), ...);
        return f;
    }
};

/* Returns the number of trips before step `end`. */
LL_FN unsigned ll_sort_trips_(const ll_sort_plan *p, unsigned end) {
    unsigned trips = 0;
    for (unsigned k = 0; k < end; ++k) {
        trips += ll_sort_far_(p, ll_sort_step_at_(p, k).lane) == 2u ? 1u : 0u;
    }
    return trips;
}

/* Returns the values of a thread's partner in step K, through shared memory. */
template <class V_, class SORT_, unsigned K_, class T_, unsigned N_>
LL_DEVICE ll_values_<T_, N_> ll_sort_fetch_(const ll_values_<T_, N_> &f,
                                            unsigned smem) {
    typedef ll_array_<T_, N_> all;
    typedef ll_trip_<V_, LL_GET(SORT_).threads, all::words> trip;
    constexpr unsigned before = ll_sort_trips_(&LL_GET(SORT_), K_);
    constexpr bool two = LL_GET(SORT_).buffers == 2u;
    constexpr unsigned lane = ll_sort_nth_<SORT_, K_>::value.lane;
    const unsigned buffer =
        smem + (two && before % 2u ? LL_GET(SORT_).trip_bytes : 0u);
    const typename trip::each each;
    const typename all::each words = {};
    if constexpr (before != 0 && !two) {
        V_::wait_block();
    }
    trip::put_all(all::read(f.v, words), buffer + V_::thread() * trip::bytes,
                  each);
    V_::wait_block();
    ll_values_<T_, N_> y = f;
    all::write(y.v,
               trip::take_all(buffer + (V_::thread() ^ lane) * trip::bytes,
                              each),
               words);
    return y;
}

template <class V_, class SORT_, unsigned K_, class T_, unsigned N_>
LL_DEVICE ll_values_<T_, N_> ll_sort_other_(const ll_values_<T_, N_> &f,
                                            unsigned smem) {
    constexpr unsigned lane = ll_sort_nth_<SORT_, K_>::value.lane;
    if constexpr (ll_sort_far_(&LL_GET(SORT_), lane) == 2u) {
        return ll_sort_fetch_<V_, SORT_, K_>(f, smem);
    } else {
        return ll_values_other_<V_, lane>(f);
    }
}

template <class SORTER_, class SORT_, unsigned K_, class T_, unsigned N_,
          class ORDER_, unsigned... P_>
LL_DEVICE ll_values_<T_, sizeof...(P_)>
ll_sort_meeting_(const ll_values_<T_, N_> &f, const ll_values_<T_, N_> &other,
                 unsigned x, ORDER_ order, ll_seq_<P_...>) {
    constexpr unsigned with = ll_sort_nth_<SORT_, K_>::value.with;
    constexpr bool both = ll_sort_nth_<SORT_, K_>::value.both != 0;
    const unsigned side = ll_sort_side_<SORT_, K_>(x);
    return {{SORTER_::template stay<both>(
        f.v[P_], other.v[P_ ^ with],
        (ll_sort_place_<SORT_, K_, P_>::later ^ side) != 0, order)...}};
}

/* Executes the steps from K on. */
template <class V_, class SORTER_, class SORT_, unsigned K_, class T_,
          unsigned N_, class ORDER_>
LL_DEVICE auto ll_sort_from_(const ll_values_<T_, N_> &f, unsigned x,
                             unsigned smem, ORDER_ order) {
    if constexpr (K_ < LL_GET(SORT_).steps) {
        constexpr unsigned left =
            ll_sort_nth_<SORT_, K_>::value.half ? N_ / 2u : N_;
        return ll_sort_from_<V_, SORTER_, SORT_, K_ + 1>(
            ll_sort_meeting_<SORTER_, SORT_, K_>(
                f, ll_sort_other_<V_, SORT_, K_>(f, smem), x, order,
                ll_seq_below_<left>()),
            x, smem, order);
    } else {
        return f;
    }
}

template <class SORTER_, class SORT_, class T_, unsigned N_, unsigned... P_>
LL_DEVICE ll_values_<typename SORTER_::type, sizeof...(P_)>
ll_sort_in_(const T_ (&a)[N_], ll_seq_<P_...>) {
    return {{SORTER_::of(a[ll_scan_leaf_<SORT_, P_>::reg])...}};
}

template <class SORT_, unsigned R_> struct ll_sort_spot_ {
    enum : unsigned {
        at = ll_vectors_xor_(LL_GET(SORT_).at, LL_GET(SORT_).to_bits, R_)
    };
};

template <class SORTER_, class SORT_, class T_, unsigned M_, class VALUES_,
          unsigned... R_>
LL_DEVICE void ll_sort_out_(T_ (&b)[M_], const VALUES_ &f, ll_seq_<R_...>) {
    ((b[R_] = SORTER_::back(f.v[ll_sort_spot_<SORT_, R_>::at])), ...);
}

/* A turned sort reuses shared memory only after all warps have read it. */
template <class V_, class SORT_, class T_, unsigned N_, unsigned M_,
          class ORDER_>
LL_DEVICE void ll_sort_by_(T_ (&b)[M_], const T_ (&a)[N_], unsigned smem,
                           ORDER_ order) {
    typedef ll_sorter_<T_, ORDER_> sorter;
    const auto f = ll_sort_from_<V_, sorter, SORT_, 0>(
        ll_sort_in_<sorter, SORT_>(a, ll_seq_below_<(1u << LL_GET(SORT_).n)>()),
        ll_thread_at_<ll_scan_map_<SORT_>>(V_::thread()), smem, order);
    if constexpr (LL_GET(SORT_).turned != 0) {
        ll_values_<T_, 1u << LL_GET(SORT_).n> sorted;
        ll_sort_out_<sorter, SORT_>(sorted.v, f,
                                    ll_seq_below_<(1u << LL_GET(SORT_).n)>());
        if constexpr (LL_GET(SORT_).trips != 0) {
            V_::wait_block();
        }
        ll_convert_by_<V_, ll_plan_back_<SORT_>>(b, sorted.v, V_::thread(),
                                                 smem);
    } else {
        ll_sort_out_<sorter, SORT_>(b, f, ll_seq_below_<M_>());
    }
}

/* Asserts that two elements of T can be ordered by ORDER. */
template <class ORDER_, class T_> LL_FN bool ll_is_order_() {
    typedef ll_combines_<ORDER_, T_, bool> orders;
    static_assert(orders::value,
                  "ll: LL_SORT: the order after smem must be ll_up() or "
                  "ll_down(), with the parentheses, or a function of two "
                  "elements that says whether the first comes before the "
                  "second");
    return orders::value;
}
template <unsigned DOWN_, class T_>
struct ll_combines_<ll_key_order_<DOWN_>, T_, bool> {
    enum : bool { value = true };
};

template <class SCOPE_, class PLAN_> LL_DEVICE void ll_sort_(LL_ANY_ARGS_) {
    static_assert(sizeof(SCOPE_) == 0,
                  "ll: LL_SORT(b, a, PLAN, smem, order): b and a must be "
                  "arrays of one type, not pointers");
}

template <class VENDOR_, class SORT_, class T_, unsigned N_, unsigned M_,
          class ORDER_>
LL_DEVICE void ll_sort_(T_ (&b)[M_], const T_ (&a)[N_], unsigned smem,
                        ORDER_ order) {
    LL_WANTS_CONSTANT_(SORT_, ll_sort_plan,
                       "LL_SORT takes the name of a plan of LL_SORT_PLAN or "
                       "LL_TOP_PLAN");
    if constexpr (ll_constant_is_good_<SORT_, ll_sort_plan>()) {
        constexpr bool typed =
            ll_bits_are_<8 * sizeof(T_), LL_GET(SORT_).element_bits>();
        constexpr bool sized =
            ll_regs_are_<N_, 1u << LL_GET(SORT_).from_bits>() &
            ll_regs_are_<M_, 1u << LL_GET(SORT_).to_bits>();
        typedef ll_moves_<VENDOR_, LL_GET(SORT_).lanes> moves;
        LL_ENTER_MOVE_(moves, LL_GET(SORT_).threads, LL_GET(SORT_).lanes);
        if constexpr (typed && sized && ll_is_order_<ORDER_, T_>()) {
            ll_sort_by_<moves, SORT_>(b, a, smem, order);
        }
    }
}

#endif

/* LL_SORT_PLAN(NAME, LAYOUT, axis, element_bits, target) declares the plan of
 * ll_sort_of, and LL_TOP_PLAN(NAME, LAYOUT, axis, count, element_bits, target)
 * the plan of ll_top_of, as in kernel/sizes. Results: LL_GET(NAME).to.
 *
 * LL_SORT(b, a, SORT, smem, order): sorts registers a, in the plan's layout,
 * along its axis into registers b, or finds the first elements of each line.
 * order: ll_up(), ll_down(), or a function that says whether x comes before y
 * (a strict weak order). a and b may be one array. smem is as for LL_CONVERT.
 *
 * ll_up and ll_down order integers, floating-point numbers of 8 to 64 bits, and
 * ll_keyed<K, V>, a key of such a type with a value of any type. Floating-point
 * numbers are in the total order of IEEE 754: -0.0 comes before 0.0, and a NaN
 * after all numbers, or before them if its sign is set. Elements: up to 16
 * bytes.
 *
 * The sort is not stable. It is stable if the value is the coordinate, and
 * equal keys are ordered by value:
 *
 *     LL_SORT_PLAN(SORT, ROWS, LL_J, 64, LL_SM90);
 *     ll_keyed<float, unsigned> a[LL_REGS(ROWS)];
 *     ..
 *     LL_SORT(a, a, SORT, smem, [](auto x, auto y) {
 *         return x.key < y.key || (x.key == y.key && x.value < y.value);
 *     }); */
#define LL_SORT_PLAN(NAME, LAYOUT, axis, element_bits, target)              \
    LL_WANTS_LAYOUT_(LAYOUT)                                                \
    LL_WANTS_AXIS_(NAME, axis)                                              \
    LL_DECLARE_CHECKED_(NAME, ll_sort_plan, LL_HAS_AXIS_(LAYOUT, axis),     \
                        ll_sort_of(LL_LAYOUT_OF_(LAYOUT), LL_AXIS_(axis),   \
                                   element_bits, target))
#define LL_TOP_PLAN(NAME, LAYOUT, axis, count, element_bits, target)        \
    LL_WANTS_LAYOUT_(LAYOUT)                                                \
    LL_WANTS_AXIS_(NAME, axis)                                              \
    LL_DECLARE_CHECKED_(NAME, ll_sort_plan, LL_HAS_AXIS_(LAYOUT, axis),     \
                        ll_top_of(LL_LAYOUT_OF_(LAYOUT), LL_AXIS_(axis),    \
                                  count, element_bits, target))
#define LL_SORT(b, a, SORT, smem, ...)                                      \
    LL_MOVE_(ll_sort_, SORT, smem)(                                         \
        b, a, LL_SHARED_ADDRESS_(smem), LL_OPTIONAL_ARG_(__VA_ARGS__))

#else
#define LL_NO_SORTS_(NAME, ...) LL_ABSENT_PART_(NAME, "LL_SORTS")
#define LL_SORT_PLAN(...) LL_NO_SORTS_(__VA_ARGS__, )
#define LL_TOP_PLAN(...) LL_NO_SORTS_(__VA_ARGS__, )
#define LL_SORT(...) (void)0 /* the plan reports it */
#endif /* LL_SORTS */

/* ---- engine/types: Engine: types and errors --------------------------- */

/* The layout engine chooses a layout for every value of a tensor program so
 * that the total cost is lowest. A program is a graph of values and of
 * operations that make and use them. Only LL_ENGINE makes the engine a part of
 * a program: it takes a compiler half as much time again to read, which kernels
 * should not pay. It is in this library because its prices are the planner's.
 * It runs on the host, in memory of the caller, and never allocates. The
 * compiler can solve graphs of a dozen operations (LL_ASSIGN).
 *
 * In the engine a layout is flat: its output is the row-major index of the
 * element. Then reshapes and new axes of size 1 change nothing, and each other
 * shape operation moves, drops or inserts bits of the index. No register of a
 * flat layout has a column of 0, because such a register duplicates another
 * one. (Paper, section 4.4 and appendix, "Layout Engine".) */
#ifdef LL_ENGINE

/* Errors of a graph. ll_engine_error writes the sentence. */
#define LL_ENGINE_ERRORS(X, n)                                              \
    X(n, LL_ENGINE_EARENA, "the memory given to the engine is too small")   \
    X(n, LL_ENGINE_ETARGET,                                                 \
      "the target must be valid, warps and blocks must be powers of two, "  \
      "and a block may have at most 1024 threads")                          \
    X(n, LL_ENGINE_ETEXT,                                                   \
      "syntax error: a line must be NAMES = OPERATION OPERANDS SHAPE "      \
      "KEY=VALUE, with a shape like 64x64:16, layouts in quotes, and "      \
      "blanks between all but key and value")                               \
    X(n, LL_ENGINE_EUNKNOWN, "unknown operation or key")                    \
    X(n, LL_ENGINE_EVALUE,                                                  \
      "a value is used before a line makes it, or depends on itself")       \
    X(n, LL_ENGINE_ETWICE, "another value already has this name")           \
    X(n, LL_ENGINE_ECOUNT, "wrong number of operands or results")           \
    X(n, LL_ENGINE_ESHAPE, "the shapes of the operands do not match")       \
    X(n, LL_ENGINE_ESIZE,                                                   \
      "a shape must be like 64x64:16: sizes that are powers of two, at "    \
      "most 2^24 elements and 12 axes, 1 to 128 bits per element")          \
    X(n, LL_ENGINE_EAXIS,                                                   \
      "the value does not have this axis, or not with this size")           \
    X(n, LL_ENGINE_ELAYOUT,                                                 \
      "a fixed layout must hold every element of its value and have no "    \
      "constant (1: ..), and its inputs must be register, lane, warp and "  \
      "block, with the graph's sizes")                                      \
    X(n, LL_ENGINE_EFIXED,                                                  \
      "the caller must fix a layout for each operand and result of this "   \
      "operation, as in in0=\"..\" or, for a dot, by=")                     \
    X(n, LL_ENGINE_EFAMILY,                                                 \
      "no instructions with this name take operands of these sizes and "    \
      "element bits on the graph's warps, or e->family, which has the "     \
      "names, is 0")                                                        \
    X(n, LL_ENGINE_EMEMORY,                                                 \
      "a tile in shared memory, and nothing else, must have "               \
      "memory=\"offset: ..\", a layout with one place for each element "    \
      "of the value")                                                       \
    X(n, LL_ENGINE_ELOOP,                                                   \
      "each loop must have one yield after it, and the values that they "   \
      "carry must keep their shapes")                                       \
    X(n, LL_ENGINE_EFIT, "no layout fits the operation")                    \
    X(n, LL_ENGINE_EREGISTERS,                                              \
      "every layout of the operation needs more registers than allowed")    \
    X(n, LL_ENGINE_ESCRATCH,                                                \
      "the operation, or every conversion to its layouts, needs more "      \
      "shared memory than allowed")                                         \
    X(n, LL_ENGINE_ENOTHING, "no set of layouts fits the whole graph")      \
    X(n, LL_ENGINE_ESORT,                                                   \
      "a sort needs a price: define LL_SORTS and set e->sort = "            \
      "ll_sort_cycles")                                                     \
    X(n, LL_ENGINE_ELIMIT,                                                  \
      "too large: the limits are cost 4096, align 4096 (a power of two), "  \
      "axis 11, 128 element bits, block and step 2^30, 2^20 trips of a "    \
      "loop, 63 characters of a name")                                      \
    X(n, LL_ENGINE_EKEY,                                                    \
      "this operation does not take this key, or the key is given twice")   \
    X(n, LL_ENGINE_ENEEDS,                                                  \
      "a key is missing: axis= if the value has several axes, out0= for "   \
      "a convert")                                                          \
    X(n, LL_ENGINE_ELIST,                                                   \
      "contiguous=, same= and order= must have one number per axis, not "   \
      "above the size of the axis")                                         \
    X(n, LL_ENGINE_EQUOTED,                                                 \
      "the text in quotes must be a layout like \"register: j0 | lane: "    \
      "i0\"")                                                               \
    X(n, LL_ENGINE_ETRIPS,                                                  \
      "loops may nest at most 8 deep, and run 1 to 2^20 times in all")      \
    X(n, LL_ENGINE_EYIELD,                                                  \
      "a yield must have one value per value that its loop carries and, "   \
      "after ->, one name per value or none")                               \
    X(n, LL_ENGINE_ELARGE,                                                  \
      "the graph is too large for LL_ASSIGN, which solves about a dozen "   \
      "operations: ll_engine_solve has no such limit")                      \
    X(n, LL_ENGINE_EWIDE,                                                   \
      "a lane would hold more than 4096 elements of a value: use more "     \
      "warps or a smaller tile")                                            \
    X(n, LL_ENGINE_ENULL, "a text is a null pointer")

#define LL_ENUM_(arg, code, text) code,
enum { LL_ENGINE_OK, LL_ENGINE_ERRORS(LL_ENUM_, e) LL_ENGINE_ERRORS_N_ };
#undef LL_ENUM_

/* The kinds of operations: name, number of operands and of results (~0u: any
 * number). The rules for their layouts are in engine/links. */
#define LL_ENGINE_KINDS(X)                                                  \
    X(LL_ENGINE_CONSTANT, "constant", 0, 1)                                 \
    X(LL_ENGINE_SOURCE, "source", 0, 1)                                     \
    X(LL_ENGINE_LOAD, "load", ~0u, 1)                                       \
    X(LL_ENGINE_STORE, "store", ~0u, 0)                                     \
    X(LL_ENGINE_ATOMIC, "atomic", ~0u, ~0u)                                 \
    X(LL_ENGINE_SINK, "sink", 1, 0)                                         \
    X(LL_ENGINE_MAP, "map", ~0u, ~0u)                                       \
    X(LL_ENGINE_SCAN, "scan", ~0u, ~0u)                                     \
    X(LL_ENGINE_SORT, "sort", 1, 1)                                         \
    X(LL_ENGINE_TRANS, "trans", 1, 1)                                       \
    X(LL_ENGINE_RESHAPE, "reshape", 1, 1)                                   \
    X(LL_ENGINE_REORDER, "reorder", 1, 1)                                   \
    X(LL_ENGINE_EXPAND, "expand", 1, 1)                                     \
    X(LL_ENGINE_BROADCAST, "broadcast", 1, 1)                               \
    X(LL_ENGINE_REDUCE, "reduce", ~0u, ~0u)                                 \
    X(LL_ENGINE_JOIN, "join", 2, 1)                                         \
    X(LL_ENGINE_SPLIT, "split", 1, 2)                                       \
    X(LL_ENGINE_UNPACK, "unpack", 1, 1)                                     \
    X(LL_ENGINE_GATHER, "gather", 2, 1)                                     \
    X(LL_ENGINE_FIXED, "fixed", ~0u, ~0u)                                   \
    X(LL_ENGINE_DOT, "dot", ~0u, 1)                                         \
    X(LL_ENGINE_DOT_SCALED, "dot_scaled", ~0u, 1)                           \
    X(LL_ENGINE_CONVERT, "convert", 1, 1)                                   \
    X(LL_ENGINE_LOCAL_LOAD, "local_load", 0, 1)                             \
    X(LL_ENGINE_LOCAL_STORE, "local_store", 1, 0)                           \
    X(LL_ENGINE_TMA_LOAD, "tma_load", 0, 1)                                 \
    X(LL_ENGINE_TMA_STORE, "tma_store", 1, 0)                               \
    X(LL_ENGINE_CARRY, "carry", 2, 2)                                       \
    X(LL_ENGINE_LOOP, "loop", 0, 0)
#define LL_ENGINE_KIND_(kind, name, ins, outs) kind,
enum { LL_ENGINE_KINDS(LL_ENGINE_KIND_) LL_ENGINE_KINDS_N_ };
#undef LL_ENGINE_KIND_

#define LL_ENGINE_AXES 12u   /* per value */
#define LL_ENGINE_NONE ~0u   /* no value, no operation, no layout */
#define LL_ENGINE_DEPTH 8u   /* of nested loops */
#define LL_ENGINE_HEADS_ 1024u
#define LL_ENGINE_MANY_ 0xffffffffffffffull /* the cost of the impossible */

/* A flat layout: the columns of n[0] register bits, n[1] lane bits, n[2] warp
 * bits and n[3] block bits, in this order. */
typedef struct ll_engine_flat {
    unsigned char n[4];
    unsigned basis[LL_MAX_BITS];
} ll_engine_flat;

typedef struct ll_engine_value {
    const char *name; /* in the caller's text; 0: none */
    unsigned length;  /* characters of the name */
    unsigned rank;
    unsigned char size[LL_ENGINE_AXES]; /* log2, slowest first */
    unsigned bits;                      /* log2 of the elements */
    unsigned element_bits;
    unsigned def;       /* operation that makes it */
    unsigned weight;    /* times it is made: product of the loops' trips */
    unsigned is_free;   /* 1: available in any layout at no cost */
    unsigned in_place;  /* 1: dots read its tile; no lane holds it */
    unsigned tile[3];   /* 2 * dot + k + 1 of the operand that stores its tile,
                           and the two layouts that will do */
    unsigned use, uses; /* start and number of its uses in the list */
    unsigned first, n;  /* start and number of its candidates */
} ll_engine_value;

typedef struct ll_engine_op {
    unsigned kind;
    unsigned n_in, n_out;
    unsigned at;       /* index of its first operand in the operand lists */
    unsigned weight;   /* times it runs: product of the loops' trips */
    unsigned cost;     /* instructions per register, in eighths; for a loop:
                          its trips, at its end: 0 */
    unsigned axis;     /* or the trips of a carried value's loop */
    unsigned alone;    /* 1: must not be executed twice */
    unsigned is_light; /* 1: arithmetic on constants, cheap to repeat */
    unsigned char order[LL_ENGINE_AXES];      /* for a trans */
    unsigned char contiguous[LL_ENGINE_AXES]; /* for an access, log2 each */
    unsigned char same[LL_ENGINE_AXES]; /* log2 of neighbours that share one
                                           address */
    unsigned align;     /* of each contiguous run, in bytes */
    unsigned memory;    /* layout of its tile in shared memory, or none */
    unsigned place[2][3]; /* for a and b of a dot, layouts that its
                             instructions read: in shared memory with k
                             contiguous, with the other axis contiguous, and
                             in registers */
    unsigned in_place[2]; /* the one in which a copy brings it, or none */
    unsigned shares[2];   /* 1: another operand stores its tile */
    const char *by;     /* name of a dot's instructions, in the caller's text */
    unsigned by_length; /* characters of that name */
    unsigned character; /* position after its name, counted from 1 */
    unsigned first, n;  /* start and number of its instances */
    unsigned price;     /* start of their prices */
    unsigned combine;   /* for a reduction or a scan: LL_ENGINE_SUM .. */
    unsigned block, step; /* elements from one block's tile to the next one's,
                             from trip to trip, plus 1; 0: not given */
} ll_engine_op;

/* The argument of ll_engine_add. Members that an operation does not use stay
 * 0. */
typedef struct ll_engine_spec {
    unsigned kind;
    unsigned n_in;
    const unsigned *in; /* values */
    unsigned n_out;     /* 0: as for the kind, or one per operand */
    unsigned rank;      /* of results that are not derived */
    unsigned char size[LL_ENGINE_AXES]; /* log2, slowest first */
    unsigned element_bits; /* of the results; 0: as the first operand */
    unsigned cost;         /* instructions per register, in eighths */
    unsigned axis;
    unsigned char order[LL_ENGINE_AXES];
    unsigned char contiguous[LL_ENGINE_AXES];
    unsigned char same[LL_ENGINE_AXES];
    unsigned align;
    unsigned trips; /* of a carried value's loop; 0: a merge of branches */
    unsigned combine, block, step; /* as in ll_engine_op */
} ll_engine_spec;

/* The operands of a dot. */
enum {
    LL_ENGINE_A, /* rows x k */
    LL_ENGINE_B, /* k x columns */
    LL_ENGINE_SCALE_A, LL_ENGINE_SCALE_B,
    LL_ENGINE_C, /* accumulator: added, and the result */
    LL_ENGINE_A_K, LL_ENGINE_B_K,  /* in shared memory, k contiguous */
    LL_ENGINE_A_MN, LL_ENGINE_B_MN /* or the other axis */
};

/* Returns the layout of a dot's operand of rows x cols for a vendor's
 * instructions, given by name: from registers, or from offsets in shared
 * memory. Returns a layout with an error if the instructions do not take the
 * operand there. See ll_ptx_dot, ll_amd_dot. */
typedef ll_layout (*ll_engine_family)(const char *name, unsigned n,
                                      unsigned operand, unsigned rows,
                                      unsigned cols, unsigned element_bits,
                                      unsigned warps);

/* Returns the cycles of a sort along an axis, and its bytes of shared memory;
 * ~0 if there is no plan. See ll_sort_cycles. */
typedef unsigned (*ll_engine_sorter)(ll_layout a, ll_dim d,
                                     unsigned element_bits, ll_target t,
                                     unsigned *bytes);

/* A plan's price, cached for its pair of layouts. */
typedef struct ll_engine_pair_ {
    unsigned a, b, element_bits, next;
    unsigned bits; /* log2 of the elements */
    unsigned kind; /* of the plan; LL_ANY if the planner has none */
    unsigned long long cost;
} ll_engine_pair_;

/* Private: an unknown. A label of an operation has an instance in its lowest 10
 * bits. The next two groups of 10 bits may have a second and a third instance,
 * counted from 1. A label of a value is a set of candidates. */
typedef struct ll_engine_var_ {
    unsigned is_value; /* 1: a value's needs, 0: an operation */
    unsigned of;       /* the value or operation */
    unsigned first, n; /* its labels */
    unsigned list;     /* its functions: the first node */
    unsigned gone;     /* 1: eliminated */
    unsigned label;    /* chosen, counted from first */
} ll_engine_var_;

/* Private: a function of n unknowns. The first one varies fastest in the
 * table. */
typedef struct ll_engine_fn_ {
    unsigned n, at;  /* its unknowns, in the list of scopes */
    unsigned gone;   /* 1: used up by an elimination */
    unsigned bucket; /* the unknown that it was eliminated with */
    unsigned from;   /* for a message: the unknown that sent it */
    unsigned of;     /* for a message: its number at that unknown */
    unsigned part;   /* for a used function: the message it went into */
    unsigned long long *table;
} ll_engine_fn_;

/* Private: a label that was dropped because label `by` is at least as good. */
typedef struct ll_engine_drop_ {
    unsigned var, label, by;
} ll_engine_drop_;

/* Private: a conversion that remains. */
typedef struct ll_engine_move {
    unsigned value;
    unsigned from, to;       /* numbers of layouts */
    unsigned kind;           /* of the plan */
    unsigned weight;         /* how often it runs */
    unsigned long long cost; /* of all its runs */
} ll_engine_move;

typedef struct ll_engine_solution_ {
    ll_engine_var_ *var;
    ll_engine_fn_ *fn;
    ll_engine_drop_ *drop;
    unsigned *label;
    unsigned *scope;
    unsigned *node;      /* pairs: a function, the next node */
    unsigned *order;     /* of elimination */
    unsigned *op_var;    /* the unknown of an operation, or none */
    unsigned *value_var; /* the unknown of a value, or none */
    ll_engine_move *move;
    unsigned vars, fns, drops, labels, scopes, nodes, orders, moves;
    unsigned cap_var, cap_fn, cap_drop, cap_label, cap_scope, cap_node;
    unsigned cap_move;
    unsigned first_message;      /* functions from here on are messages */
    unsigned cut;                /* eliminations that were cut into parts */
    unsigned long long widest;   /* entries of the largest table */
    unsigned long long constant; /* cost of operations without a choice */
    unsigned long long cost, bound;
    unsigned long long visited; /* nodes of the search */
    unsigned optimal;           /* 1: nothing is cheaper */
} ll_engine_solution_;

/* Private: one level of the search, with the labels of its unknown still to
 * try. */
typedef struct ll_engine_level_ {
    unsigned long long bound; /* before this unknown */
    unsigned long long last;  /* what the last label added */
    unsigned tried;           /* that label; the order is (last, tried) */
    unsigned some;
    unsigned long long messages;
} ll_engine_level_;

/* Constant expressions have no untyped memory, so the lists of a type share an
 * array of that type. If there is only one list (1), it takes the whole array.
 * The sizes are enough for a dozen operations. */
#define LL_ENGINE_LISTS_(X)                                                 \
    X(word, unsigned, 8000, 0)                                              \
    X(wide, unsigned long long, 8000, 0)                                    \
    X(value, ll_engine_value, 40, 1)                                        \
    X(op, ll_engine_op, 32, 1)                                              \
    X(flat, ll_engine_flat, 120, 1)                                         \
    X(pair, ll_engine_pair_, 200, 1)                                        \
    X(var, ll_engine_var_, 64, 1)                                           \
    X(fn, ll_engine_fn_, 200, 1)                                            \
    X(drop, ll_engine_drop_, 1, 1)                                          \
    X(move, ll_engine_move, 40, 1)                                          \
    X(level, ll_engine_level_, 64, 0)                                       \
    X(found, ll_engine_solution_, 1, 0)

#define LL_ENGINE_POOLED_(name, type, n, one) type name[n];
#define LL_ENGINE_COUNTED_(name, type, n, one) unsigned name##_used;
typedef struct ll_engine_pool_ {
    LL_ENGINE_LISTS_(LL_ENGINE_POOLED_)
    LL_ENGINE_LISTS_(LL_ENGINE_COUNTED_)
} ll_engine_pool_;
#undef LL_ENGINE_POOLED_
#undef LL_ENGINE_COUNTED_

/* The graph, and the results of the engine. */
typedef struct ll_engine {
    unsigned err;
    unsigned wrong;     /* the operation at fault; LL_ENGINE_NONE: none */
    unsigned character; /* place in the text, counted from 1; 0: unknown */
    unsigned char *memory;
    unsigned long long bytes, used;
    ll_target target;
    unsigned counts[4]; /* bits of lanes, warps and blocks, at 1 .. 3 */
    unsigned registers; /* most 32-bit registers per lane for one value; 0:
                           no limit */
    unsigned scratch;   /* most bytes of shared memory for an operation or
                           a conversion; 0: no limit */
    unsigned most;      /* candidates per value; 0: 8 */
    unsigned sets;      /* most layouts in which one operation is executed,
                           1 to 3; 0: 3 */
    unsigned long long table; /* most entries of a solver's table; 0: a
                                 sixteenth of `bytes`, 2^20 to 2^22 */
    unsigned long long nodes; /* most nodes of the search, if tables do
                                 not suffice; 0: 100,000 */
    ll_engine_value *value;
    ll_engine_op *op;
    unsigned *operand; /* values */
    unsigned *fixed;   /* by operand: a layout that the caller fixed, or none */
    ll_engine_flat *flat;
    unsigned *flat_next;
    unsigned *hint; /* pairs of a value and a layout */
    ll_engine_pair_ *pair;
    unsigned values, ops, operands, flats, hints, pairs;
    unsigned cap_values, cap_ops, cap_operands, cap_fixed, cap_flats;
    unsigned cap_next, cap_hints, cap_pairs;
    unsigned heads[2][LL_ENGINE_HEADS_]; /* of layouts and of pairs */
    ll_engine_family family; /* the vendor's matrix instructions; 0: none */
    ll_engine_sorter sort;   /* the price of sorts; 0: none */
    unsigned depth;
    unsigned trips[LL_ENGINE_DEPTH + 1u]; /* products, by depth */
    /* The members below belong to later rooms. */
    unsigned *use;             /* operands, by value */
    unsigned *candidate;       /* layouts, by value */
    unsigned *origin;          /* of each candidate: LL_ENGINE_BY_ .. */
    unsigned anchor;           /* origin of the next candidate */
    unsigned *instance;        /* tuples of layouts, by operation */
    unsigned long long *price; /* of instances, by operation */
    unsigned candidates, instances, instance_words;
    unsigned cap_candidate, cap_instance, cap_price;
    unsigned dropped[3]; /* candidates: over `most`, registers, no instance */
    unsigned *job; /* in a constant: price, operation, two layouts */
    unsigned jobs, cap_job;
    unsigned priced; /* in a constant: 1: all conversions have prices */
    ll_engine_solution_ *found;
    ll_engine_pool_ *pool; /* in a constant; 0: lists are in memory */
    const char *text;      /* the text that was read last; 0: none */
    unsigned text_ops;     /* number of operations before it */
} ll_engine;

#endif /* LL_ENGINE */

/* ---- engine/flat: Engine: flat layouts -------------------------------- */

/* The caller's memory, and the flat layouts in it. Each layout is stored once,
 * under a number. */

#ifdef LL_ENGINE

/* Private: records the first error and the operation at fault. Returns
 * LL_ENGINE_NONE. */
LL_FN unsigned ll_engine_fail_(ll_engine *e, unsigned err, unsigned op) {
    if (!e->err) {
        e->err = err;
        e->wrong = op;
        e->character = op < e->ops ? e->op[op].character : e->character;
    }
    return LL_ENGINE_NONE;
}

/* Private: returns n items of `size` bytes of the caller's memory, filled with
 * zeros; 0 if there is too little left. */
static inline void *ll_engine_bytes_(ll_engine *e, unsigned long long n,
                                     unsigned size) {
    const unsigned long long bytes = (n * size + 15u) & ~15ull;
    if (e->err || n > e->bytes || bytes > e->bytes - e->used) {
        ll_engine_fail_(e, LL_ENGINE_EARENA, LL_ENGINE_NONE);
        return 0;
    }
    unsigned char *p = e->memory + e->used;
    e->used += bytes;
    for (unsigned long long k = 0; k < bytes; ++k) {
        p[k] = 0;
    }
    return p;
}

/* Private: ll_engine_take_TYPE_ returns n items; 0 if there is no room.
 * ll_engine_room_TYPE_ returns a list with room for n items: the old one, or a
 * copy of twice the size. After an error it returns the old one. */
#define LL_ENGINE_TAKE_(name, type, most, one)                              \
    LL_FN type *ll_engine_take_##name##_(ll_engine *e,                      \
                                         unsigned long long n) {            \
        if (!e->pool) {                                                     \
            return (type *)ll_engine_bytes_(e, n, sizeof(type));            \
        }                                                                   \
        if (e->err || n > most - e->pool->name##_used) {                    \
            ll_engine_fail_(e, LL_ENGINE_EARENA, LL_ENGINE_NONE);           \
            return 0;                                                       \
        }                                                                   \
        e->pool->name##_used += (unsigned)n;                                \
        return e->pool->name + (e->pool->name##_used - n);                  \
    }                                                                       \
    LL_FN type *ll_engine_room_##name##_(ll_engine *e, type *list,          \
                                         unsigned n, unsigned *cap) {       \
        if (n <= *cap) {                                                    \
            return list;                                                    \
        }                                                                   \
        const unsigned more = one && e->pool && !*cap ? most                \
                              : 2u * *cap > n         ? 2u * *cap           \
                                                      : n + 6u;             \
        type *to = ll_engine_take_##name##_(e, more);                       \
        for (unsigned k = 0; to && k < *cap; ++k) {                         \
            to[k] = list[k];                                                \
        }                                                                   \
        *cap = to ? more : *cap;                                            \
        return to ? to : list;                                              \
    }
LL_ENGINE_LISTS_(LL_ENGINE_TAKE_)
#undef LL_ENGINE_TAKE_

/* Private: starts an empty graph. */
LL_FN void ll_engine_start_(ll_engine *e, ll_target t, unsigned warps,
                            unsigned blocks) {
    e->wrong = LL_ENGINE_NONE;
    e->target = t;
    e->trips[0] = 1;
    e->counts[1] = ll_log2_(t.lanes);
    e->counts[2] = ll_log2_(warps);
    e->counts[3] = ll_log2_(blocks);
    for (unsigned k = 0; k < LL_ENGINE_HEADS_; ++k) {
        e->heads[0][k] = e->heads[1][k] = LL_ENGINE_NONE;
    }
    if (t.err || e->counts[1] > 6u || e->counts[2] > 6u || e->counts[3] > 5u ||
        e->counts[1] + e->counts[2] > 10u) {
        ll_engine_fail_(e, LL_ENGINE_ETARGET, LL_ENGINE_NONE);
    }
}

/* ll_engine_begin(e, memory, bytes, t, warps, blocks): starts an empty graph
 * for blocks of `warps` warps of target t, in clusters of `blocks` blocks. The
 * engine stores everything in `memory`; if that is too small, calls fail with
 * LL_ENGINE_EARENA. About 8 MiB are enough for 100 operations. An error of any
 * call stays in e->err, and later calls do nothing. */
static inline void ll_engine_begin(ll_engine *e, void *memory,
                                   unsigned long long bytes, ll_target t,
                                   unsigned warps, unsigned blocks) {
    const ll_engine none = LL_ZERO;
    *e = none;
    const unsigned long long skip =
        (16u - ((__UINTPTR_TYPE__)memory & 15u)) & 15u;
    e->memory = (unsigned char *)memory + skip;
    e->bytes = bytes > skip ? bytes - skip : 0u;
    ll_engine_start_(e, t, warps, blocks);
}

/* Private: returns f without register bits that have a column of 0. */
LL_FN ll_engine_flat ll_flat_tidy_(ll_engine_flat f) {
    ll_engine_flat g = LL_ZERO;
    unsigned n = 0;
    for (unsigned k = 0; k < (unsigned)f.n[0] + f.n[1] + f.n[2] + f.n[3]; ++k) {
        if (k >= f.n[0] || f.basis[k]) {
            g.basis[n] = f.basis[k];
            g.n[0] = (unsigned char)(g.n[0] + (k < f.n[0]));
            ++n;
        }
    }
    for (unsigned d = 1; d < 4u; ++d) {
        g.n[d] = f.n[d];
    }
    return g;
}

/* Private: returns the number of columns. */
LL_FN unsigned ll_flat_total_(const ll_engine_flat *f) {
    return (unsigned)f->n[0] + f->n[1] + f->n[2] + f->n[3];
}

LL_FN int ll_flat_is_equal_(const ll_engine_flat *f, const ll_engine_flat *g) {
    int same = 1;
    for (unsigned d = 0; d < 4u; ++d) {
        same = same && f->n[d] == g->n[d];
    }
    for (unsigned k = 0; same && k < ll_flat_total_(f); ++k) {
        same = f->basis[k] == g->basis[k];
    }
    return same;
}

/* Private: returns the number of a flat layout, and adds it if it is new. */
LL_FN unsigned ll_engine_enter_(ll_engine *e, ll_engine_flat f) {
    f = ll_flat_tidy_(f);
    unsigned hash = f.n[0];
    for (unsigned k = 0; k < ll_flat_total_(&f); ++k) {
        hash = hash * 31u + f.basis[k] * 0x9e3779b9u + (hash >> 15);
    }
    unsigned *head = &e->heads[0][(hash ^ hash >> 16) % LL_ENGINE_HEADS_];
    for (unsigned k = *head; k < e->flats; k = e->flat_next[k]) {
        if (ll_flat_is_equal_(&e->flat[k], &f)) {
            return k;
        }
    }
    e->flat = ll_engine_room_flat_(e, e->flat, e->flats + 1u, &e->cap_flats);
    e->flat_next =
        ll_engine_room_word_(e, e->flat_next, e->flats + 1u, &e->cap_next);
    if (e->err) {
        return LL_ENGINE_NONE;
    }
    e->flat[e->flats] = f;
    e->flat_next[e->flats] = *head;
    *head = e->flats;
    return e->flats++;
}

/* Private: returns 1 if the columns span all `bits` bits. */
LL_FN int ll_flat_is_onto_(const ll_engine_flat *f, unsigned bits) {
    ll_span_ reduced = LL_ZERO;
    for (unsigned k = 0; k < ll_flat_total_(f); ++k) {
        if (f->basis[k] >> bits) {
            return 0;
        }
        ll_span_extend_(&reduced, f->basis[k]);
    }
    return reduced.n == bits;
}

/* Private: fails with LL_ENGINE_ELAYOUT, but not once the graph is solved:
 * asking for a layout that does not fit must not discard the solution. */
LL_FN unsigned ll_engine_no_layout_(ll_engine *e, unsigned v) {
    return e->found ? LL_ENGINE_NONE
                    : ll_engine_fail_(e, LL_ENGINE_ELAYOUT,
                                      v < e->values ? e->value[v].def
                                                    : LL_ENGINE_NONE);
}

#endif /* LL_ENGINE */

/* ---- engine/graph: Engine: graphs ------------------------------------- */

/* A graph is built one operation at a time. The first error stops it. */

#ifdef LL_ENGINE

/* ll_engine_flat_id(e, v, f): returns the number of flat layout f of value v,
 * for ll_engine_fix and ll_engine_hint. Registers with a column of 0 are left
 * out. Fails with LL_ENGINE_ELAYOUT if f does not hold every element, or if its
 * lanes, warps or blocks are not the graph's. Once the graph is solved it
 * returns LL_ENGINE_NONE instead, and the solution stays. */
LL_FN unsigned ll_engine_flat_id(ll_engine *e, unsigned v, ll_engine_flat f) {
    int ok = v < e->values && ll_flat_total_(&f) <= LL_MAX_BITS;
    for (unsigned d = 1; d < 4u; ++d) {
        ok = ok && f.n[d] == e->counts[d];
    }
    return ok && ll_flat_is_onto_(&f, e->value[v].bits)
               ? ll_engine_enter_(e, f)
               : ll_engine_no_layout_(e, v);
}

/* Private: returns the shape of a value: axes i, j, .. */
LL_FN ll_shape ll_engine_shape_(const ll_engine_value *v) {
    ll_shape s = LL_ZERO;
    for (unsigned k = v->rank; k-- > 0;) {
        s = ll_shape_add_(s, ll_axis(k), v->size[k]);
    }
    return s;
}

/* ll_engine_id(e, v, a): returns the number of layout a of value v. The axes of
 * a are i, j, .. Fails with LL_ENGINE_ELAYOUT. */
LL_FN unsigned ll_engine_id(ll_engine *e, unsigned v, ll_layout a) {
    ll_engine_flat f = LL_ZERO;
    if (e->err || v >= e->values) {
        return ll_engine_fail_(e, LL_ENGINE_EVALUE, LL_ENGINE_NONE);
    }
    const ll_shape s = ll_engine_shape_(&e->value[v]);
    const ll_layout h = ll_hardware_(a);
    if (h.err || h.offset || !ll_shape_fits_both_(&s, &h.out)) {
        return ll_engine_no_layout_(e, v);
    }
    const ll_layout b = ll_layout_onto_(h, &s);
    for (unsigned d = 0; d < 4u; ++d) {
        f.n[d] =
            (unsigned char)(d && b.in.bits[d] < e->counts[d] ? e->counts[d]
                                                             : b.in.bits[d]);
    }
    unsigned to = 0;
    for (unsigned d = 0; d < 4u && ll_flat_total_(&f) <= LL_MAX_BITS; ++d) {
        for (unsigned k = 0; k < f.n[d]; ++k) {
            f.basis[to] =
                k < b.in.bits[d] ? b.basis[ll_shape_start_(&b.in, d) + k] : 0u;
            ++to;
        }
    }
    return ll_engine_flat_id(e, v, f);
}

/* ll_engine_layout(e, v, id): returns layout number `id` as a layout of value
 * v. */
LL_FN ll_layout ll_engine_layout(const ll_engine *e, unsigned v, unsigned id) {
    const ll_dim names[] = {LL_REGISTER, LL_LANE, LL_WARP, LL_BLOCK};
    const ll_shape out = ll_engine_shape_(&e->value[v]);
    ll_shape in = LL_ZERO;
    const ll_engine_flat *f = &e->flat[id];
    for (unsigned d = 0; d < 4u; ++d) {
        if (d < 3u || f->n[d]) {
            in = ll_shape_add_(in, names[d], f->n[d]);
        }
    }
    ll_layout a = ll_zero(in, out);
    for (unsigned k = 0; k < ll_flat_total_(f); ++k) {
        a.basis[k] = f->basis[k];
    }
    return a;
}

/* Private: returns a new value, made by operation `op`. */
LL_FN unsigned ll_engine_add_value_(ll_engine *e, unsigned op, unsigned rank,
                                    const unsigned char *size,
                                    unsigned element_bits, unsigned weight) {
    e->value =
        ll_engine_room_value_(e, e->value, e->values + 1u, &e->cap_values);
    if (e->err) {
        return LL_ENGINE_NONE;
    }
    ll_engine_value *v = &e->value[e->values];
    for (unsigned k = 0; k < rank && k < LL_ENGINE_AXES; ++k) {
        v->size[k] = size[k];
        v->bits += size[k];
    }
    v->rank = rank;
    v->element_bits = element_bits;
    v->def = op;
    v->weight = weight;
    return rank > LL_ENGINE_AXES || v->bits > 24u || !element_bits ||
                   element_bits > 128u
               ? ll_engine_fail_(e, LL_ENGINE_ESIZE, op)
               : e->values++;
}

/* Private: appends an operand or a result to the last operation. */
LL_FN void ll_engine_operand_(ll_engine *e, unsigned value) {
    e->operand =
        ll_engine_room_word_(e, e->operand, e->operands + 1u, &e->cap_operands);
    e->fixed =
        ll_engine_room_word_(e, e->fixed, e->operands + 1u, &e->cap_fixed);
    if (!e->err) {
        e->operand[e->operands] = value;
        e->fixed[e->operands] = LL_ENGINE_NONE;
        ++e->operands;
    }
}

LL_FN int ll_engine_alike_(const ll_engine_value *a, const ll_engine_value *b) {
    int same = a->rank == b->rank;
    for (unsigned k = 0; same && k < a->rank; ++k) {
        same = a->size[k] == b->size[k];
    }
    return same;
}

/* Private: sets the shape of r to the one in the spec of a reshape, reorder or
 * broadcast. Returns an error. */
LL_FN unsigned ll_engine_reshaped_(const ll_engine_spec *s,
                                   const ll_engine_value *a,
                                   ll_engine_value *r) {
    const int wider = s->kind == LL_ENGINE_BROADCAST;
    int ok = !wider || s->rank == a->rank;
    r->rank = s->rank;
    r->bits = 0;
    for (unsigned k = 0; k < s->rank && k < LL_ENGINE_AXES; ++k) {
        r->size[k] = s->size[k];
        r->bits += s->size[k];
        ok = ok && (!wider || !a->size[k] || a->size[k] == s->size[k]);
    }
    return ok && (wider || r->bits == a->bits) ? LL_ENGINE_OK
                                               : LL_ENGINE_ESHAPE;
}

/* Private: computes the shape of the results from the shape of the first
 * operand. Returns an error. */
LL_FN unsigned ll_engine_derive_(const ll_engine_spec *s,
                                 const ll_engine_value *a, ll_engine_value *r) {
    const unsigned kind = s->kind;
    const unsigned more = kind == LL_ENGINE_EXPAND || kind == LL_ENGINE_JOIN;
    const unsigned less = kind == LL_ENGINE_REDUCE || kind == LL_ENGINE_SPLIT;
    const int along = less || kind == LL_ENGINE_UNPACK ||
                      kind == LL_ENGINE_SCAN || kind == LL_ENGINE_SORT;
    const unsigned axis = kind == LL_ENGINE_JOIN    ? a->rank
                          : kind == LL_ENGINE_SPLIT ? a->rank - 1u
                                                    : s->axis;
    unsigned seen = 0;
    *r = *a;
    if (kind == LL_ENGINE_RESHAPE || kind == LL_ENGINE_REORDER ||
        kind == LL_ENGINE_BROADCAST) {
        return ll_engine_reshaped_(s, a, r);
    }
    if ((along && axis >= a->rank) ||
        (more && (a->rank >= LL_ENGINE_AXES || axis > a->rank)) ||
        (kind == LL_ENGINE_SPLIT && a->size[axis] != 1u)) {
        return LL_ENGINE_EAXIS;
    }
    r->rank = a->rank + more - less;
    for (unsigned k = axis; k < r->rank && (along || more); ++k) {
        const unsigned size = k > axis           ? a->size[k + less - more]
                              : less             ? a->size[k + 1u]
                              : more             ? kind == LL_ENGINE_JOIN
                              : a->size[k] + (kind == LL_ENGINE_UNPACK);
        r->size[k] = (unsigned char)size;
    }
    for (unsigned k = 0; k < a->rank && kind == LL_ENGINE_TRANS; ++k) {
        if (s->order[k] >= a->rank || seen >> s->order[k] & 1u) {
            return LL_ENGINE_EAXIS;
        }
        seen |= 1u << s->order[k];
        r->size[k] = a->size[s->order[k]];
    }
    return LL_ENGINE_OK;
}

/* Private: return whether an operation takes only layouts that the caller
 * fixed, is a dot, or moves a tile in shared memory. */
LL_FN int ll_engine_is_given_(unsigned kind) {
    return kind == LL_ENGINE_FIXED || kind == LL_ENGINE_DOT_SCALED;
}
LL_FN int ll_engine_is_dot_(unsigned kind) {
    return kind == LL_ENGINE_DOT || kind == LL_ENGINE_DOT_SCALED;
}
LL_FN int ll_engine_is_tile_(unsigned kind) {
    return kind >= LL_ENGINE_LOCAL_LOAD && kind <= LL_ENGINE_TMA_STORE;
}

/* Private: returns an error if the shapes of a, b and the accumulator do not
 * fit. */
LL_FN unsigned ll_engine_dot_fits_(const ll_engine *e,
                                   const ll_engine_spec *s) {
    const unsigned two = s->kind == LL_ENGINE_DOT ? 2u : 4u;
    if (s->n_in != two && s->n_in != two + 1u) {
        return LL_ENGINE_ECOUNT;
    }
    const ll_engine_value *a = &e->value[s->in[0]];
    const ll_engine_value *b = &e->value[s->in[1]];
    const ll_engine_value *c = &e->value[s->in[s->n_in - 1u]];
    const int ok = a->rank == 2u && b->rank == 2u && a->size[1] == b->size[0] &&
                   (s->n_in == two ||
                    (c->rank == 2u && c->size[0] == a->size[0] &&
                     c->size[1] == b->size[1]));
    return ok ? LL_ENGINE_OK : LL_ENGINE_ESHAPE;
}

/* Private: returns an error if the shapes of the operands do not fit. */
LL_FN unsigned ll_engine_operands_fit_(const ll_engine *e,
                                       const ll_engine_spec *s) {
    const int alike = s->kind != LL_ENGINE_GATHER &&
                      !ll_engine_is_given_(s->kind) &&
                      s->kind != LL_ENGINE_DOT;
    for (unsigned k = 0; k < s->n_in; ++k) {
        if (s->in[k] >= e->values) {
            return LL_ENGINE_EVALUE;
        }
        if (alike &&
            !ll_engine_alike_(&e->value[s->in[0]], &e->value[s->in[k]])) {
            return LL_ENGINE_ESHAPE;
        }
    }
    if (ll_engine_is_dot_(s->kind)) {
        return ll_engine_dot_fits_(e, s);
    }
    if (s->kind == LL_ENGINE_GATHER) {
        const ll_engine_value *a = &e->value[s->in[0]];
        const ll_engine_value *b = &e->value[s->in[1]];
        int same = a->rank == b->rank;
        for (unsigned k = 0; same && k < a->rank; ++k) {
            same = k == s->axis || a->size[k] == b->size[k];
        }
        return s->axis >= a->rank ? LL_ENGINE_EAXIS
               : same             ? LL_ENGINE_OK
                                  : LL_ENGINE_ESHAPE;
    }
    return LL_ENGINE_OK;
}

/* Private: sets *ins and *outs to the numbers of operands and results of a
 * kind. */
LL_FN void ll_engine_arity_(unsigned kind, unsigned *ins, unsigned *outs) {
#define LL_ENGINE_KIND_(k, name, in_, out_) {in_, out_},
    const unsigned n[LL_ENGINE_KINDS_N_][2] = {
        LL_ENGINE_KINDS(LL_ENGINE_KIND_)};
#undef LL_ENGINE_KIND_
    *ins = n[kind][0];
    *outs = n[kind][1];
}

/* Private: returns whether the spec has the shape of the results. */
LL_FN int ll_engine_is_origin_(const ll_engine_spec *s) {
    return s->kind == LL_ENGINE_CONSTANT || s->kind == LL_ENGINE_SOURCE ||
           s->kind == LL_ENGINE_FIXED || s->kind == LL_ENGINE_LOOP ||
           s->kind == LL_ENGINE_LOCAL_LOAD || s->kind == LL_ENGINE_TMA_LOAD ||
           (s->kind == LL_ENGINE_LOAD && s->n_in == 0);
}

/* Private: appends the operation itself. */
LL_FN unsigned ll_engine_add_op_(ll_engine *e, const ll_engine_spec *s) {
    e->op = ll_engine_room_op_(e, e->op, e->ops + 1u, &e->cap_ops);
    if (e->err) {
        return LL_ENGINE_NONE;
    }
    ll_engine_op *o = &e->op[e->ops];
    o->kind = s->kind;
    o->n_in = s->n_in;
    o->at = e->operands;
    o->weight = e->trips[e->depth];
    o->cost = s->cost;
    o->axis = s->kind == LL_ENGINE_CARRY ? s->trips : s->axis;
    o->align = s->align;
    o->combine = s->combine;
    o->block = s->block;
    o->step = s->step;
    o->character = e->character;
    o->memory = o->in_place[0] = o->in_place[1] = LL_ENGINE_NONE;
    for (unsigned k = 0; k < 6u; ++k) {
        o->place[k / 3u][k % 3u] = LL_ENGINE_NONE;
    }
    o->alone = s->kind == LL_ENGINE_STORE || s->kind == LL_ENGINE_ATOMIC ||
               ll_engine_is_given_(s->kind) || s->kind == LL_ENGINE_DOT ||
               s->kind == LL_ENGINE_SINK || s->kind == LL_ENGINE_GATHER ||
               (ll_engine_is_tile_(s->kind) && s->n_in);
    for (unsigned k = 0; k < LL_ENGINE_AXES; ++k) {
        o->order[k] = s->order[k];
        o->contiguous[k] = s->contiguous[k];
        o->same[k] = s->same[k];
    }
    for (unsigned k = 0; k < s->n_in; ++k) {
        ll_engine_operand_(e, s->in[k]);
    }
    return e->err ? LL_ENGINE_NONE : e->ops++;
}

/* Private: fills in the shape and the element bits of an operation's results.
 * Fails if the operands do not fit. */
LL_FN void ll_engine_shapes_(ll_engine *e, const ll_engine_spec *s,
                             unsigned op, ll_engine_value *r) {
    unsigned err = ll_engine_operands_fit_(e, s);
    if (!err && ll_engine_is_origin_(s)) {
        r->rank = s->rank;
        r->element_bits = s->element_bits;
        for (unsigned k = 0; k < LL_ENGINE_AXES; ++k) {
            r->size[k] = s->size[k];
        }
    } else if (!err) {
        const int gather = s->kind == LL_ENGINE_GATHER;
        err = ll_engine_derive_(s, &e->value[s->in[gather]], r);
        r->element_bits = s->element_bits              ? s->element_bits
                          : ll_engine_is_dot_(s->kind)
                              ? 32u
                              : e->value[s->in[0]].element_bits;
        r->size[1] = ll_engine_is_dot_(s->kind) ? e->value[s->in[1]].size[1]
                                                : r->size[1];
    }
    if (err) {
        ll_engine_fail_(e, err, op);
    }
}

/* Private: returns whether each result has the element bits of its own
 * operand. */
LL_FN int ll_engine_is_each_(unsigned kind) {
    return kind == LL_ENGINE_REDUCE || kind == LL_ENGINE_SCAN;
}

/* ll_engine_add(e, s): appends an operation and returns its number. Its results
 * are new values; see ll_engine_result. The shapes of results follow from the
 * shapes of the operands. For constant, source, fixed, operations without
 * operands, reshape, reorder and broadcast, the spec has them. Fails with
 * LL_ENGINE_ECOUNT, LL_ENGINE_EVALUE, LL_ENGINE_ESHAPE, LL_ENGINE_EAXIS,
 * LL_ENGINE_ESIZE. */
LL_FN unsigned ll_engine_add(ll_engine *e, ll_engine_spec s) {
    unsigned ins = 0;
    unsigned outs = 0;
    const unsigned bad = s.kind >= LL_ENGINE_KINDS_N_ ? LL_ENGINE_ECOUNT
                         : s.n_in && !s.in            ? LL_ENGINE_EVALUE
                                                      : LL_ENGINE_OK;
    if (e->err || bad) {
        return ll_engine_fail_(e, bad, LL_ENGINE_NONE);
    }
    ll_engine_arity_(s.kind, &ins, &outs);
    e->found = 0; /* the solution is for another graph */
    const unsigned op = ll_engine_add_op_(e, &s);
    const unsigned n = outs != ~0u                   ? outs
                       : s.n_out                     ? s.n_out
                       : ll_engine_is_each_(s.kind)  ? s.n_in
                       : s.kind == LL_ENGINE_FIXED   ? 0u
                                                     : 1u;
    if (op == LL_ENGINE_NONE || (ins != ~0u && ins != s.n_in) ||
        !(s.n_in || ll_engine_is_origin_(&s))) {
        return ll_engine_fail_(e, LL_ENGINE_ECOUNT, op);
    }
    ll_engine_value r = LL_ZERO;
    ll_engine_shapes_(e, &s, op, &r);
    e->op[op].n_out = e->err ? 0u : n;
    for (unsigned k = 0; k < n && !e->err; ++k) {
        const unsigned bits =
            ll_engine_is_each_(s.kind)
                ? e->value[s.in[k < s.n_in ? k : 0u]].element_bits
                : r.element_bits;
        const int turns = s.kind == LL_ENGINE_CARRY && k == 0 && s.trips;
        const unsigned long long inner =
            (unsigned long long)e->trips[e->depth] * (turns ? s.trips : 1u);
        ll_engine_operand_(e, ll_engine_add_value_(e, op, r.rank, r.size, bits,
                                                   inner > 1u << 20
                                                       ? 1u << 20
                                                       : (unsigned)inner));
    }
    return e->err ? LL_ENGINE_NONE : op;
}

/* ll_engine_result(e, op, k): returns the value that is result k of an
 * operation; LL_ENGINE_NONE if there is none. */
LL_FN unsigned ll_engine_result(const ll_engine *e, unsigned op, unsigned k) {
    return e->err || op >= e->ops || k >= e->op[op].n_out
               ? LL_ENGINE_NONE
               : e->operand[e->op[op].at + e->op[op].n_in + k];
}

/* ll_engine_carry(e, start, trips): adds a value that a loop of `trips` trips
 * carries or, with 0, the merge of two branches. Result 0 is the value inside
 * the loop, result 1 the value after it. ll_engine_yield(e, op, value) gives
 * the value with which the next trip starts, or with which the other branch
 * ends. It fails with LL_ENGINE_ELOOP if that has another shape. Operations
 * between ll_engine_loop(e, trips) and ll_engine_loop(e, 0) run `trips`
 * times. */
LL_FN unsigned ll_engine_carry(ll_engine *e, unsigned start, unsigned trips) {
    ll_engine_spec s = LL_ZERO;
    const unsigned in[2] = {start, start}; /* a yield sets the second */
    s.kind = LL_ENGINE_CARRY;
    s.n_in = 2;
    s.in = in;
    s.trips = trips;
    return ll_engine_add(e, s);
}

LL_FN void ll_engine_yield(ll_engine *e, unsigned op, unsigned value) {
    if (e->err || op >= e->ops || value >= e->values ||
        e->op[op].kind != LL_ENGINE_CARRY ||
        !ll_engine_alike_(&e->value[e->operand[e->op[op].at]],
                          &e->value[value])) {
        ll_engine_fail_(e, LL_ENGINE_ELOOP, op);
        return;
    }
    e->operand[e->op[op].at + 1u] = value;
}

LL_FN void ll_engine_loop(ll_engine *e, unsigned trips) {
    ll_engine_spec s = LL_ZERO;
    s.kind = LL_ENGINE_LOOP;
    s.cost = trips;
    if (e->err || (trips ? e->depth >= LL_ENGINE_DEPTH : !e->depth) ||
        (trips && (unsigned long long)e->trips[e->depth] * trips > 1u << 20)) {
        ll_engine_fail_(e, trips ? LL_ENGINE_ETRIPS : LL_ENGINE_ELOOP,
                        LL_ENGINE_NONE);
        return;
    }
    ll_engine_add(e, s);
    if (trips) {
        e->trips[e->depth + 1u] = e->trips[e->depth] * trips;
        ++e->depth;
    } else {
        --e->depth;
    }
}

/* ll_engine_fix(e, op, k, id): fixes operand k of an operation, or result k -
 * n_in, to a layout that an instruction or the caller requires. Elsewhere the
 * value may still be held in other layouts. */
LL_FN void ll_engine_fix(ll_engine *e, unsigned op, unsigned k, unsigned id) {
    if (e->err || op >= e->ops || id >= e->flats ||
        k >= e->op[op].n_in + e->op[op].n_out) {
        ll_engine_fail_(e, LL_ENGINE_ELAYOUT, op);
        return;
    }
    e->fixed[e->op[op].at + k] = id;
}

#endif /* LL_ENGINE */

/* ---- engine/instructions: Engine: instructions ------------------------ */

/* The text of a graph reads like a kernel, one operation per line:
 *
 *     x = load 64x64:16 contiguous=1x64 align=16
 *     loop 8 sum = zero, p = x
 *     y = map sum p cost=4
 *     yield y, p -> total, last
 *     m = reduce total axis=1
 *     store m contiguous=64 align=16
 *
 * The names of the results stand before `=`. After the operation come its
 * operands, a shape with the element bits if the operation does not derive it,
 * and keys. in0="register: .." fixes the layout of operand 0, out0=".." the
 * layout of result 0. cost is the number of instructions per register, as 5 or
 * 5/8. A `#` begins a comment.
 *
 * `loop` gives each carried value its start. `yield` gives its next value and,
 * after ->, its name after the loop. A later line may make the next value. So a
 * while loop is two loops: one of its condition, and one of its body, which
 * starts with what the first one carries. `r = merge a b` is the result of two
 * branches; a later line may make b. A constant with contiguous= is a range: 0,
 * 1, .. along that axis. A reduce, scan or sort has its axis. The price of a
 * sort needs e->sort = ll_sort_cycles, with LL_SORTS.
 *
 *     x = load p m other 64x64:16 contiguous=1x64 align=16
 *     store p x m contiguous=1x64 align=16
 *     old = atomic p x m
 *
 * Accesses may take the 64-bit addresses of the elements, before all other
 * operands, and a 1-bit mask. A load takes the mask after the addresses, and
 * then the values where the mask is 0. Other accesses take the mask last.
 * Without addresses the tile is one row of memory.
 *
 *     w = load 64x64:16 contiguous=1x64 align=16 block=0 step=4096
 *     m = reduce w axis=1 op=max
 *
 * These keys are for a kernel written from the graph (tools/engine/engine.c);
 * no price depends on them. `block` is the distance in elements from one
 * block's tile to the next one's (0: all blocks have the same tile; default:
 * the tile's size). `step` is the distance from trip to trip of the innermost
 * loop (default: 0). `op` combines two elements in a reduction or a scan: sum,
 * product, min, max, and, or, xor.
 *
 *     t = tma_load 64x64:16 memory="offset: j0 j1 j2 j3 j4 j5 i0 i1 ..."
 *     c = dot a t sum by=mma
 *     d = convert c out0="register: .."
 *     local_store d memory="offset: .."
 *
 * A dot takes a, b and an accumulator; a dot_scaled takes the scales of a and b
 * after b. by= names the instructions that have the layouts (ll_engine_by), or
 * each layout is fixed. In registers, k may be in any order that a and b share.
 * Instructions such as wgmma read operands in shared memory. They read a tile
 * in place if a tma_load or a local_load brings it in a layout that they take,
 * also through a trans and around loops that carry it. Otherwise it is stored
 * there each time it is made, once for all dots that read it or its transpose.
 * A load without memory= places its tile the way the dot reads it. Lanes store
 * scales and operands for tensor memory (tcgen05) in the layouts of tcgen05.st.
 * That has no price here, because no layout avoids it.
 *
 * A convert is a conversion that the caller asks for; out0 is the layout to
 * convert to. Other tiles in shared memory have their layout after memory=. */
#ifdef LL_ENGINE

/* Private: returns the number of layout m of value v in shared memory, from
 * offsets to elements; LL_ENGINE_NONE if it does not have one place for each
 * element. */
LL_FN unsigned ll_engine_memory_id_(ll_engine *e, unsigned v, ll_layout m) {
    const unsigned bits = e->value[v].bits;
    const ll_shape s = ll_engine_shape_(&e->value[v]);
    ll_engine_flat f = LL_ZERO;
    if (m.err || m.offset || m.in.n != 1u || m.in.dim[0] != LL_OFFSET ||
        m.in.bits[0] != bits || !e->value[v].rank ||
        !ll_shape_fits_both_(&s, &m.out)) {
        return LL_ENGINE_NONE;
    }
    const ll_layout b = ll_layout_onto_(m, &s);
    f.n[0] = (unsigned char)bits;
    for (unsigned k = 0; k < bits; ++k) {
        f.basis[k] = b.basis[k];
    }
    return ll_flat_is_onto_(&f, bits) ? ll_engine_enter_(e, f) : LL_ENGINE_NONE;
}

/* Private: returns whether a dot may read operand k in shared memory. */
LL_FN int ll_engine_is_placed_(const ll_engine_op *o, unsigned k) {
    return ll_engine_is_dot_(o->kind) && k < 2u &&
           (o->place[k][0] != LL_ENGINE_NONE ||
            o->place[k][1] != LL_ENGINE_NONE);
}

/* Private: asks e->family for the layouts in shared memory in which a dot's
 * instructions read operand k, and stores them, with its layout in
 * registers. */
LL_FN void ll_engine_by_tile_(ll_engine *e, unsigned op, unsigned k,
                              unsigned in_registers) {
    const ll_engine_op o = e->op[op];
    const unsigned v = e->operand[o.at + k];
    const ll_engine_value a = e->value[v];
    const unsigned first = (unsigned)LL_ENGINE_A_K + k;
    for (unsigned t = 0; t < 2u && a.rank == 2u; ++t) {
        const ll_layout m = e->family(o.by, o.by_length, first + 2u * t,
                                      1u << a.size[0], 1u << a.size[1],
                                      a.element_bits, 1u << e->counts[2]);
        e->op[op].place[k][t] = ll_engine_memory_id_(e, v, m);
    }
    e->op[op].place[k][2] = in_registers;
}

/* ll_engine_by(e, op, name, n): gives the operands and the result of dot op the
 * layouts that e->family has for a name of n characters. The name must stay in
 * memory. If all operands are in registers, k may be in any order. An operand
 * that the instructions read in shared memory is read in place if a tma_load or
 * a local_load brings its tile in a layout that they take, also before a loop
 * that carries it. Otherwise it is stored there. Fails with
 * LL_ENGINE_EFAMILY. */
LL_FN void ll_engine_by(ll_engine *e, unsigned op, const char *name,
                        unsigned n) {
    if (e->err || op >= e->ops || !e->family ||
        !ll_engine_is_dot_(e->op[op].kind)) {
        ll_engine_fail_(e, LL_ENGINE_EFAMILY, op);
        return;
    }
    if (!name) {
        ll_engine_fail_(e, LL_ENGINE_ENULL, op);
        return;
    }
    const int dot = e->op[op].kind == LL_ENGINE_DOT;
    const unsigned two = dot ? 2u : 4u;
    e->op[op].by = name;
    e->op[op].by_length = n;
    for (unsigned k = 0; k <= e->op[op].n_in && !e->err; ++k) {
        const unsigned v = e->operand[e->op[op].at + k];
        const ll_engine_value a = e->value[v];
        const ll_layout l = e->family(
            name, n, k < two ? k : (unsigned)LL_ENGINE_C, 1u << a.size[0],
            1u << a.size[1], a.element_bits, 1u << e->counts[2]);
        const unsigned id =
            l.err || a.rank != 2u ? LL_ENGINE_NONE : ll_engine_id(e, v, l);
        if (k < 2u && !e->err) {
            ll_engine_by_tile_(e, op, k, id);
        }
        if (ll_engine_is_placed_(&e->op[op], k) && !e->err) {
            continue;
        }
        if (id == LL_ENGINE_NONE) {
            e->err = e->err == LL_ENGINE_EARENA ? e->err : 0u;
            ll_engine_fail_(e, LL_ENGINE_EFAMILY, op);
            return;
        }
        ll_engine_fix(e, op, k, id);
    }
}

/* ll_engine_memory(e, op, m): sets the layout in shared memory, from offsets to
 * elements, of the tile of a local_load, local_store, tma_load or tma_store.
 * For a tensor copy it is the layout in which the copy writes or reads the
 * tile. Fails with LL_ENGINE_EMEMORY. */
LL_FN void ll_engine_memory(ll_engine *e, unsigned op, ll_layout m) {
    const unsigned id =
        e->err || op >= e->ops || !ll_engine_is_tile_(e->op[op].kind)
            ? LL_ENGINE_NONE
            : ll_engine_memory_id_(e, e->operand[e->op[op].at], m);
    if (id == LL_ENGINE_NONE) {
        ll_engine_fail_(e, LL_ENGINE_EMEMORY, op);
        return;
    }
    e->op[op].memory = id;
}

/* ll_engine_hint(e, v, id): offers layout id as a further candidate for v. */
LL_FN void ll_engine_hint(ll_engine *e, unsigned v, unsigned id) {
    e->hint = ll_engine_room_word_(e, e->hint, e->hints + 2u, &e->cap_hints);
    if (!e->err && v < e->values && id < e->flats) {
        e->hint[e->hints] = v;
        e->hint[e->hints + 1u] = id;
        e->hints += 2u;
    }
}

#endif /* LL_ENGINE */

/* ---- engine/reader: Engine: words of a text --------------------------- */

#ifdef LL_ENGINE

/* Private: a text, and the place in it. */
typedef struct ll_engine_reader_ {
    ll_engine *e;
    const char *s;
    unsigned p;
} ll_engine_reader_;

/* Private: records an error at the next character, which counts from 1. */
LL_FN unsigned ll_engine_stop_(ll_engine_reader_ *r, unsigned err) {
    if (!r->e->err) {
        ll_engine_fail_(r->e, err, LL_ENGINE_NONE);
        r->e->character = r->p + 1u;
    }
    return LL_ENGINE_NONE;
}

LL_FN void ll_engine_skip_(ll_engine_reader_ *r) {
    while (r->s[r->p] == ' ' || r->s[r->p] == '\t' || r->s[r->p] == '\r') {
        ++r->p;
    }
    if (r->s[r->p] == '#') {
        while (r->s[r->p] && r->s[r->p] != '\n') {
            ++r->p;
        }
    }
}

/* Private: returns the length of the next word: letters, digits, _ and dots; 0
 * if it is too long. */
LL_FN unsigned ll_engine_word_(const ll_engine_reader_ *r) {
    unsigned n = 0;
    while (ll_char_code_(r->s[r->p + n]) || r->s[r->p + n] == '.') {
        ++n;
    }
    return n < 64u ? n : 0u;
}

/* Private: fails where a word of up to 63 characters was expected. */
LL_FN unsigned ll_engine_stop_word_(ll_engine_reader_ *r) {
    return ll_engine_stop_(r, ll_char_code_(r->s[r->p]) && !ll_engine_word_(r)
                                  ? LL_ENGINE_ELIMIT
                                  : LL_ENGINE_ETEXT);
}

/* Private: fails unless a blank or the end of a line follows. */
LL_FN void ll_engine_end_word_(ll_engine_reader_ *r) {
    const char c = r->s[r->p];
    if (c && c != ' ' && c != '\t' && c != '\r' && c != '\n' && c != '#') {
        ll_engine_stop_(r, LL_ENGINE_ETEXT);
    }
}

/* Private: returns whether the n characters at s are the given word. */
LL_FN int ll_engine_is_word_(const char *s, unsigned n, const char *word) {
    unsigned k = 0;
    while (word && word[k]) {
        ++k;
    }
    int same = s && word && k == n;
    while (same && k-- > 0) {
        same = s[k] == word[k];
    }
    return same;
}

/* Private: returns the value named by the next n characters. */
LL_FN unsigned ll_engine_find_(const ll_engine_reader_ *r, unsigned n) {
    for (unsigned v = r->e->values; n && v-- > 0;) {
        const ll_engine_value *a = &r->e->value[v];
        unsigned k = 0;
        while (a->length == n && k < n && a->name[k] == r->s[r->p + k]) {
            ++k;
        }
        if (k == n) {
            return v;
        }
    }
    return LL_ENGINE_NONE;
}

/* Private: returns the value named by the next word, and moves past it. */
LL_FN unsigned ll_engine_read_value_(ll_engine_reader_ *r) {
    const unsigned n = ll_engine_word_(r);
    const unsigned v = ll_engine_find_(r, n);
    if (v == LL_ENGINE_NONE) {
        return n && !ll_is_digit_(r->s[r->p])
                   ? ll_engine_stop_(r, LL_ENGINE_EVALUE)
                   : ll_engine_stop_word_(r);
    }
    r->p += n;
    return v;
}

/* Private: reads a new name. Returns its place in the text, and moves past
 * it. */
LL_FN unsigned ll_engine_read_name_(ll_engine_reader_ *r) {
    const unsigned at = r->p;
    const unsigned n = ll_engine_word_(r);
    if (n == 0 || ll_is_digit_(r->s[at])) {
        return ll_engine_stop_word_(r);
    }
    if (ll_engine_find_(r, n) != LL_ENGINE_NONE) {
        return ll_engine_stop_(r, LL_ENGINE_ETWICE);
    }
    r->p += n;
    return at;
}

/* Private: gives a value the name at a place of the text. */
LL_FN void ll_engine_call_(ll_engine_reader_ *r, unsigned v, unsigned at) {
    if (!r->e->err) {
        const ll_engine_reader_ there = {r->e, r->s, at};
        r->e->value[v].name = r->s + at;
        r->e->value[v].length = ll_engine_word_(&there);
    }
}

/* Private: reads numbers separated by x; powers of two as their logarithms if
 * `logs`. Returns how many there are. */
LL_FN unsigned ll_engine_read_list_(ll_engine_reader_ *r, unsigned char *list,
                                    int logs) {
    unsigned n = 0;
    do {
        r->p += n != 0;
        const unsigned at = r->p;
        const unsigned long long x = ll_text_number_(r->s, &r->p);
        const unsigned bits = ll_log2_(x);
        if (at == r->p || n == LL_ENGINE_AXES ||
            (logs ? bits > 24u : x >= LL_ENGINE_AXES)) {
            r->p = at;
            ll_engine_stop_(r, at == r->p && !ll_is_digit_(r->s[at])
                                   ? LL_ENGINE_ETEXT
                                   : LL_ENGINE_ESIZE);
            return 0;
        }
        list[n] = (unsigned char)(logs ? bits : (unsigned)x);
        ++n;
    } while (r->s[r->p] == 'x');
    return n;
}

/* How a reduction or a scan combines two elements. No price depends on it. */
enum {
    LL_ENGINE_UNSAID, LL_ENGINE_SUM, LL_ENGINE_PRODUCT, LL_ENGINE_MIN,
    LL_ENGINE_MAX, LL_ENGINE_AND, LL_ENGINE_OR, LL_ENGINE_XOR
};

LL_FN const char *ll_engine_combine_name_(unsigned k) {
    const char *const names[] = {"",    "sum", "product", "min",
                                 "max", "and", "or",      "xor"};
    return names[k];
}

/* Private: the keys, as bits: all but in0, out0, .. */
enum {
    LL_ENGINE_COST_ = 1, LL_ENGINE_BY_ = 2, LL_ENGINE_MEMORY_ = 4,
    LL_ENGINE_AXIS_ = 8, LL_ENGINE_OP_ = 16, LL_ENGINE_ORDER_ = 32,
    LL_ENGINE_CONTIGUOUS_ = 64, LL_ENGINE_SAME_ = 128, LL_ENGINE_ALIGN_ = 256,
    LL_ENGINE_BLOCK_ = 512, LL_ENGINE_STEP_ = 1024
};

/* Private: returns the key named by the n characters at s; 0 if there is
 * none. */
LL_FN unsigned ll_engine_key_of_(const char *s, unsigned n) {
    const char *const names[] = {"cost",  "by",         "memory", "axis",
                                 "op",    "order",      "contiguous", "same",
                                 "align", "block",      "step"};
    unsigned k = 0;
    while (k < 11u && !ll_engine_is_word_(s, n, names[k])) {
        ++k;
    }
    return k < 11u ? 1u << k : 0u;
}

/* Private: returns the keys that a kind of operation takes. */
LL_FN unsigned ll_engine_keys_(unsigned kind) {
    const unsigned all = LL_ENGINE_COST_ | LL_ENGINE_BY_ | LL_ENGINE_MEMORY_ |
                         LL_ENGINE_ALIGN_;
    switch (kind) {
    case LL_ENGINE_CONSTANT:
        return all | LL_ENGINE_CONTIGUOUS_;
    case LL_ENGINE_LOAD:
    case LL_ENGINE_STORE:
    case LL_ENGINE_ATOMIC:
        return all | LL_ENGINE_CONTIGUOUS_ | LL_ENGINE_SAME_ |
               LL_ENGINE_BLOCK_ | LL_ENGINE_STEP_;
    case LL_ENGINE_TRANS:
        return all | LL_ENGINE_ORDER_;
    case LL_ENGINE_REDUCE:
    case LL_ENGINE_SCAN:
        return all | LL_ENGINE_AXIS_ | LL_ENGINE_OP_;
    case LL_ENGINE_EXPAND:
    case LL_ENGINE_SORT:
    case LL_ENGINE_GATHER:
    case LL_ENGINE_UNPACK:
        return all | LL_ENGINE_AXIS_;
    default:
        return all | (ll_engine_is_tile_(kind)
                          ? (unsigned)LL_ENGINE_BLOCK_ | LL_ENGINE_STEP_
                          : 0u);
    }
}

#endif /* LL_ENGINE */

/* ---- engine/parse: Engine: the text of a graph ------------------------ */

#ifdef LL_ENGINE

/* Private: a line of text, in parts. */
typedef struct ll_engine_line_ {
    ll_engine_spec spec;
    unsigned in[16], name[16]; /* operands; places of the results' names */
    unsigned names;
    unsigned fixed[32], fix_at[32]; /* operand (or 64 + result), each once, and
                                       the place of its layout */
    unsigned fixes;
    unsigned shaped; /* 1: it has a shape */
    unsigned by, by_length; /* place of the name of its instructions */
    unsigned memory;        /* place of its layout in memory; 0: none */
    unsigned keys;          /* the keys that it has */
    unsigned lengths;       /* bit n: order, contiguous or same has n
                               numbers */
    unsigned later;         /* place of the name of a value that a later
                               line makes, from 1; 0: none */
} ll_engine_line_;

/* Private: skips a layout in quotes. */
LL_FN void ll_engine_quoted_(ll_engine_reader_ *r) {
    if (r->s[r->p] != '"') {
        ll_engine_stop_(r, LL_ENGINE_ETEXT);
        return;
    }
    ++r->p;
    while (r->s[r->p] && r->s[r->p] != '"' && r->s[r->p] != '\n') {
        ++r->p;
    }
    if (r->s[r->p] != '"') {
        ll_engine_stop_(r, LL_ENGINE_ETEXT);
        return;
    }
    ++r->p;
}

/* Private: reads a number after a key. */
LL_FN unsigned ll_engine_read_number_(ll_engine_reader_ *r, unsigned most) {
    const unsigned at = r->p;
    const unsigned long long x = ll_text_number_(r->s, &r->p);
    if (r->p == at || x > most) {
        const unsigned err = r->p == at ? LL_ENGINE_ETEXT : LL_ENGINE_ELIMIT;
        r->p = at;
        ll_engine_stop_(r, err);
        return 0;
    }
    return (unsigned)x;
}

/* Private: reads the instructions per register, whole or n/8. Returns
 * eighths. */
LL_FN unsigned ll_engine_read_cost_(ll_engine_reader_ *r) {
    const unsigned at = r->p;
    const unsigned x = ll_engine_read_number_(r, 8u << 12);
    if (r->s[r->p] == '/' && r->s[r->p + 1u] == '8') {
        r->p += 2u;
        return x;
    }
    if (x > 1u << 12) {
        r->p = at;
        ll_engine_stop_(r, LL_ENGINE_ELIMIT);
    }
    return 8u * x;
}

/* Private: reads the name of the operation that combines two elements. */
LL_FN unsigned ll_engine_read_combine_(ll_engine_reader_ *r) {
    const unsigned n = ll_engine_word_(r);
    for (unsigned k = LL_ENGINE_SUM; k <= LL_ENGINE_XOR; ++k) {
        if (ll_engine_is_word_(r->s + r->p, n, ll_engine_combine_name_(k))) {
            r->p += n;
            return k;
        }
    }
    return ll_engine_stop_(r, n ? LL_ENGINE_EUNKNOWN : LL_ENGINE_ETEXT);
}

/* Private: reads the layout of an operand or result after the key of n
 * characters at `at`. */
LL_FN void ll_engine_read_fix_(ll_engine_reader_ *r, ll_engine_line_ *l,
                               unsigned at, unsigned n) {
    const char *key = r->s + at;
    const int in = n > 2u && key[0] == 'i' && key[1] == 'n';
    const int out = n > 3u && key[0] == 'o' && key[1] == 'u' && key[2] == 't';
    unsigned p = at + (in ? 2u : 3u);
    const unsigned long long k = in || out ? ll_text_number_(r->s, &p) : 16u;
    const unsigned slot = (unsigned)k + (in ? 0u : 64u);
    unsigned err =
        p != at + n || k >= 16u ? (unsigned)LL_ENGINE_EUNKNOWN : 0u;
    for (unsigned j = 0; j < l->fixes; ++j) {
        err = !err && l->fixed[j] == slot ? (unsigned)LL_ENGINE_EKEY : err;
    }
    if (err) {
        r->p = at;
        ll_engine_stop_(r, err);
        return;
    }
    l->fixed[l->fixes] = slot;
    l->fix_at[l->fixes] = r->p;
    ++l->fixes;
    ll_engine_quoted_(r);
}

/* Private: reads the bytes after `align=`, which stands at `at`. */
LL_FN unsigned ll_engine_read_align_(ll_engine_reader_ *r, unsigned at) {
    const unsigned align = ll_engine_read_number_(r, 1u << 12);
    if (align & (align - 1u)) {
        r->p = at;
        ll_engine_stop_(r, LL_ENGINE_ELIMIT);
    }
    return align;
}

/* Private: reads the name of a dot's instructions. */
LL_FN void ll_engine_read_by_(ll_engine_reader_ *r, ll_engine_line_ *l) {
    l->by = r->p;
    l->by_length = ll_engine_word_(r);
    r->p += l->by_length;
    if (!l->by_length) {
        ll_engine_stop_word_(r);
    }
}

/* Private: reads the value of the key of n characters at `at`. */
LL_FN void ll_engine_read_key_(ll_engine_reader_ *r, ll_engine_line_ *l,
                               unsigned at, unsigned n) {
    const unsigned key = ll_engine_key_of_(r->s + at, n);
    ll_engine_spec *s = &l->spec;
    if (key & (l->keys | ~ll_engine_keys_(s->kind))) {
        r->p = at;
        ll_engine_stop_(r, LL_ENGINE_EKEY);
        return;
    }
    l->keys |= key;
    if (key == LL_ENGINE_COST_) {
        s->cost = ll_engine_read_cost_(r);
    } else if (key == LL_ENGINE_AXIS_) {
        s->axis = ll_engine_read_number_(r, LL_ENGINE_AXES - 1u);
    } else if (key == LL_ENGINE_ALIGN_) {
        s->align = ll_engine_read_align_(r, at);
    } else if (key == LL_ENGINE_OP_) {
        s->combine = ll_engine_read_combine_(r);
    } else if (key == LL_ENGINE_BLOCK_) {
        s->block = ll_engine_read_number_(r, 1u << 30) + 1u;
    } else if (key == LL_ENGINE_STEP_) {
        s->step = ll_engine_read_number_(r, 1u << 30) + 1u;
    } else if (key == LL_ENGINE_ORDER_) {
        l->lengths |= 1u << ll_engine_read_list_(r, s->order, 0);
    } else if (key == LL_ENGINE_CONTIGUOUS_) {
        l->lengths |= 1u << ll_engine_read_list_(r, s->contiguous, 1);
    } else if (key == LL_ENGINE_SAME_) {
        l->lengths |= 1u << ll_engine_read_list_(r, s->same, 1);
    } else if (key == LL_ENGINE_BY_) {
        ll_engine_read_by_(r, l);
    } else if (key == LL_ENGINE_MEMORY_) {
        l->memory = r->p;
        ll_engine_quoted_(r);
    } else {
        ll_engine_read_fix_(r, l, at, n);
    }
}

/* Private: returns whether `=` follows the word of n characters after blanks: a
 * key that is written like a name. */
LL_FN int ll_engine_is_spaced_(const ll_engine_reader_ *r, unsigned n) {
    unsigned p = r->p + n;
    while (r->s[p] == ' ' || r->s[p] == '\t') {
        ++p;
    }
    return n && r->s[p] == '=';
}

/* Private: reads operands, the shape and keys, up to the end of the line. */
LL_FN void ll_engine_read_rest_(ll_engine_reader_ *r, ll_engine_line_ *l) {
    for (ll_engine_skip_(r); !r->e->err && r->s[r->p] && r->s[r->p] != '\n';
         ll_engine_skip_(r)) {
        const unsigned at = r->p;
        const unsigned n = ll_engine_word_(r);
        const int spaced = ll_engine_is_spaced_(r, n);
        if (ll_is_digit_(r->s[at]) && !l->shaped) {
            l->spec.rank = ll_engine_read_list_(r, l->spec.size, 1);
            l->shaped = 1;
            if (r->s[r->p] == ':') {
                ++r->p;
                l->spec.element_bits = ll_engine_read_number_(r, 128);
            }
        } else if (n && r->s[at + n] == '=') {
            r->p = at + n + 1u;
            ll_engine_read_key_(r, l, at, n);
        } else if (spaced || l->spec.n_in == 16u) {
            ll_engine_stop_(r, spaced ? LL_ENGINE_ETEXT : LL_ENGINE_ECOUNT);
        } else if (l->spec.kind == LL_ENGINE_CARRY && l->spec.n_in == 1u && n &&
                   ll_engine_find_(r, n) == LL_ENGINE_NONE) {
            l->in[l->spec.n_in++] = l->in[0];
            l->later = at + 1u;
            r->p += n;
        } else {
            l->in[l->spec.n_in] = ll_engine_read_value_(r);
            ++l->spec.n_in;
        }
        ll_engine_end_word_(r);
    }
}

/* Private: returns whether a line's shape is the shape of its result. */
LL_FN int ll_engine_is_shaped_(const ll_engine *e, const ll_engine_spec *s,
                               const ll_engine_op *o) {
    if (o->n_out == 0) {
        return 0;
    }
    const ll_engine_value *out = &e->value[e->operand[o->at + o->n_in]];
    int same = out->rank == s->rank &&
               (!s->element_bits || s->element_bits == out->element_bits);
    for (unsigned k = 0; same && k < s->rank; ++k) {
        same = s->size[k] == out->size[k];
    }
    return same;
}

/* Private: returns whether an operation on a value of several axes must name
 * its axis. Other operations take the first axis by default. */
LL_FN int ll_engine_needs_axis_(unsigned kind, unsigned rank) {
    return rank > 1u && (kind == LL_ENGINE_REDUCE || kind == LL_ENGINE_SCAN ||
                         kind == LL_ENGINE_SORT);
}

/* Private: returns whether a line lacks a key that its operation needs. */
LL_FN int ll_engine_needs_key_(const ll_engine_line_ *l, unsigned rank) {
    const unsigned kind = l->spec.kind;
    int outs = kind != LL_ENGINE_CONVERT;
    for (unsigned k = 0; k < l->fixes; ++k) {
        outs = outs || l->fixed[k] == 64u;
    }
    return !outs || (ll_engine_needs_axis_(kind, rank) &&
                     !(l->keys & LL_ENGINE_AXIS_));
}

/* Private: returns the error of a line after its operation was added: a shape
 * that is not the result's, lists of a wrong length, or a missing key. */
LL_FN unsigned ll_engine_line_error_(const ll_engine *e,
                                     const ll_engine_line_ *l, unsigned op) {
    const ll_engine_op *o = &e->op[op];
    if (!o->n_in && !o->n_out) {
        return LL_ENGINE_OK;
    }
    const ll_engine_value *in = &e->value[e->operand[o->at]];
    const int along = o->kind == LL_ENGINE_REDUCE || o->kind == LL_ENGINE_SCAN;
    int lists = !(l->lengths & ~(1u << in->rank));
    for (unsigned k = 0; k < in->rank; ++k) {
        lists = lists && l->spec.contiguous[k] <= in->size[k] &&
                l->spec.same[k] <= in->size[k];
    }
    return l->shaped && !ll_engine_is_shaped_(e, &l->spec, o)
               ? LL_ENGINE_ESHAPE
           : !lists                          ? LL_ENGINE_ELIST
           : along && o->n_out != o->n_in    ? LL_ENGINE_ECOUNT
           : ll_engine_needs_key_(l, in->rank) ? LL_ENGINE_ENEEDS
                                             : LL_ENGINE_OK;
}

/* Private: fixes the layouts that a line gives, after its operation was
 * added. */
LL_FN void ll_engine_read_fixes_(ll_engine_reader_ *r, const ll_engine_line_ *l,
                                 unsigned op) {
    ll_engine *e = r->e;
    if (l->by_length && !e->err) {
        ll_engine_by(e, op, r->s + l->by, l->by_length);
    }
    if (l->memory && !e->err) {
        const ll_layout m = ll_parse_to_(r->s + l->memory + 1u, '"');
        ll_engine_memory(e, op, m);
        e->character =
            e->err ? l->memory + (m.err ? m.at : 1u) + 1u : e->character;
    }
    for (unsigned k = 0; k < l->fixes && !e->err; ++k) {
        const unsigned side = l->fixed[k] >= 64u;
        const unsigned which = l->fixed[k] % 64u;
        r->p = l->fix_at[k];
        const ll_engine_op o = e->op[op];
        if (which >= (side ? o.n_out : o.n_in)) {
            ll_engine_stop_(r, LL_ENGINE_ECOUNT);
            return;
        }
        const unsigned slot = which + (side ? o.n_in : 0u);
        const unsigned v = e->operand[o.at + slot];
        const ll_layout a = ll_parse_to_(r->s + r->p + 1u, '"');
        if (a.err) {
            ll_engine_fail_(e, LL_ENGINE_EQUOTED, op);
        } else {
            ll_engine_fix(e, op, slot, ll_engine_id(e, v, a));
        }
        if (e->err) {
            e->wrong = op;
            e->character = r->p + (a.err ? a.at : 1u) + 1u;
        }
    }
}

/* Private: adds the operation of a line, and names its results. */
LL_FN void ll_engine_read_op_(ll_engine_reader_ *r, ll_engine_line_ *l) {
    ll_engine *e = r->e;
    const unsigned at = r->p;
    l->spec.cost = l->spec.kind == LL_ENGINE_MAP ? 8u : 0u;
    ll_engine_read_rest_(r, l);
    if (e->err) {
        return;
    }
    const unsigned end = r->p;
    l->spec.in = l->in;
    l->spec.n_out = l->names;
    if (!l->shaped && l->spec.n_in && l->spec.kind == LL_ENGINE_FIXED) {
        const ll_engine_value *v = &e->value[l->in[l->spec.n_in - 1u]];
        l->spec.rank = v->rank;
        l->spec.element_bits = v->element_bits;
        for (unsigned k = 0; k < LL_ENGINE_AXES; ++k) {
            l->spec.size[k] = v->size[k];
        }
    }
    e->character = at + 1u;
    const unsigned op = ll_engine_add(e, l->spec);
    const unsigned hidden = l->spec.kind == LL_ENGINE_CARRY;
    if (!e->err && e->op[op].n_out != l->names + hidden) {
        ll_engine_fail_(e, LL_ENGINE_ECOUNT, op);
    }
    for (unsigned k = 0; k < l->names; ++k) {
        ll_engine_call_(r, ll_engine_result(e, op, k + hidden), l->name[k]);
    }
    const unsigned err = e->err ? e->err : ll_engine_line_error_(e, l, op);
    if (err) {
        ll_engine_fail_(e, err, op);
    }
    ll_engine_read_fixes_(r, l, op);
    if (!e->err) {
        e->op[op].first = l->later;
    }
    r->p = end;
}

/* Private: reads `loop TRIPS NAME = START, ..`. Writes the operations of the
 * carried values to carry[] and returns their number. */
LL_FN unsigned ll_engine_read_loop_(ll_engine_reader_ *r, unsigned *carry) {
    unsigned n = 0;
    ll_engine_skip_(r);
    r->e->character = r->p + 1u;
    const unsigned trips = ll_engine_read_number_(r, 1u << 20);
    if (trips == 0) {
        ll_engine_stop_(r, LL_ENGINE_ETRIPS);
    }
    for (ll_engine_skip_(r); !r->e->err && r->s[r->p] && r->s[r->p] != '\n';
         ll_engine_skip_(r)) {
        const unsigned name = ll_engine_read_name_(r);
        ll_engine_skip_(r);
        if (r->s[r->p] != '=' || n == 16u) {
            ll_engine_stop_(r, LL_ENGINE_ETEXT);
            return 0;
        }
        ++r->p;
        ll_engine_skip_(r);
        carry[n] = ll_engine_carry(r->e, ll_engine_read_value_(r), trips);
        ll_engine_call_(r, ll_engine_result(r->e, carry[n], 0), name);
        ++n;
        ll_engine_skip_(r);
        r->p += r->s[r->p] == ',';
    }
    ll_engine_loop(r->e, trips);
    return n;
}

/* Private: reads `yield VALUE, .. -> NAME, ..`. If a later line makes a value,
 * the place of its name, counted from 1, is kept as the first instance of the
 * carried value, which has no instances yet. */
LL_FN void ll_engine_read_yield_(ll_engine_reader_ *r, const unsigned *carry,
                                 unsigned n) {
    for (unsigned k = 0; k < n && !r->e->err; ++k) {
        ll_engine_skip_(r);
        const unsigned length = ll_engine_word_(r);
        if (length && ll_engine_find_(r, length) == LL_ENGINE_NONE) {
            r->e->op[carry[k]].first = r->p + 1u;
            r->p += length;
        } else if (!length && !ll_char_code_(r->s[r->p])) {
            ll_engine_stop_(r, LL_ENGINE_EYIELD);
        } else {
            const unsigned at = r->p;
            ll_engine_yield(r->e, carry[k], ll_engine_read_value_(r));
            r->e->character = at + 1u;
        }
        ll_engine_skip_(r);
        r->p += r->s[r->p] == ',' && k + 1u < n;
    }
    ll_engine_skip_(r);
    ll_engine_loop(r->e, 0);
    const int arrow = r->s[r->p] == '-' && r->s[r->p + 1u] == '>';
    r->p += arrow ? 2u : 0u;
    for (unsigned k = 0; k < n && arrow && !r->e->err; ++k) {
        ll_engine_skip_(r);
        const unsigned name = ll_engine_read_name_(r);
        ll_engine_call_(r, ll_engine_result(r->e, carry[k], 1), name);
        ll_engine_skip_(r);
        r->p += r->s[r->p] == ',' && k + 1u < n;
    }
    ll_engine_skip_(r);
    if (r->s[r->p] && r->s[r->p] != '\n') {
        ll_engine_stop_(r, LL_ENGINE_EYIELD);
    }
}

/* Private: completes the yields of values that later lines made, from operation
 * `from` on. */
LL_FN void ll_engine_read_later_(ll_engine_reader_ *r, unsigned from) {
    for (unsigned p = from; p < r->e->ops && !r->e->err; ++p) {
        const ll_engine_op *o = &r->e->op[p];
        if (o->kind == LL_ENGINE_CARRY && o->first) {
            r->p = o->first - 1u;
            ll_engine_yield(r->e, p, ll_engine_read_value_(r));
        }
    }
}

/* Private: returns the kind named by the n characters at s. */
LL_FN unsigned ll_engine_kind_of_(const char *s, unsigned n) {
#define LL_ENGINE_KIND_(kind, name, in_, out_)                              \
    if (ll_engine_is_word_(s, n, name)) {                                   \
        return kind;                                                        \
    }
    LL_ENGINE_KINDS(LL_ENGINE_KIND_)
#undef LL_ENGINE_KIND_
    return ll_engine_is_word_(s, n, "merge") ? (unsigned)LL_ENGINE_CARRY
                                             : LL_ENGINE_NONE;
}

/* Private: reads the names before `=`, if there is one; else none. */
LL_FN void ll_engine_read_names_(ll_engine_reader_ *r, ll_engine_line_ *l) {
    const unsigned at = r->p;
    unsigned p = at;
    while (r->s[p] && r->s[p] != '\n' && r->s[p] != '=' && r->s[p] != '"') {
        ++p;
    }
    unsigned words = 0;
    for (unsigned k = at; k < p; ++k) {
        words += ll_char_code_(r->s[k]) && (k == at || r->s[k - 1u] == ' ');
    }
    unsigned commas = 0;
    for (unsigned k = at; k < p; ++k) {
        commas += r->s[k] == ',';
    }
    if (r->s[p] != '=' || words > commas + 1u) {
        return; /* a key stands before =, not a list of names */
    }
    while (!r->e->err && l->names < 16u) {
        l->name[l->names] = ll_engine_read_name_(r);
        ++l->names;
        ll_engine_skip_(r);
        if (r->s[r->p] != ',') {
            break;
        }
        ++r->p;
        ll_engine_skip_(r);
    }
    if (r->s[r->p] != '=') {
        ll_engine_stop_(r, LL_ENGINE_ETEXT);
        return;
    }
    ++r->p;
    ll_engine_skip_(r);
}

/* Private: the values that the open loops of a text carry, and how many loops
 * were open before it. */
typedef struct ll_engine_open_ {
    unsigned bottom;
    unsigned n[LL_ENGINE_DEPTH + 1u], carry[LL_ENGINE_DEPTH + 1u][16];
} ll_engine_open_;

/* Private: reads a line that is not empty. */
LL_FN void ll_engine_read_line_(ll_engine_reader_ *r, ll_engine_open_ *open) {
    ll_engine_line_ l = LL_ZERO;
    ll_engine_read_names_(r, &l);
    const char *word = r->s + r->p;
    const unsigned n = ll_engine_word_(r);
    const unsigned depth = r->e->depth;
    if (r->e->err) {
        return;
    }
    const int loop = !l.names && ll_engine_is_word_(word, n, "loop");
    const int yield = !l.names && ll_engine_is_word_(word, n, "yield");
    l.spec.kind = n ? ll_engine_kind_of_(word, n) : LL_ENGINE_NONE;
    if (!loop && !yield &&
        (l.spec.kind == LL_ENGINE_NONE || l.spec.kind == LL_ENGINE_LOOP)) {
        ll_engine_stop_(r, n ? LL_ENGINE_EUNKNOWN : LL_ENGINE_ETEXT);
        return;
    }
    r->p += n;
    if (loop) {
        open->n[depth] = ll_engine_read_loop_(r, open->carry[depth]);
    } else if (yield && depth <= open->bottom) {
        ll_engine_stop_(r, LL_ENGINE_ELOOP);
    } else if (yield) {
        ll_engine_read_yield_(r, open->carry[depth - 1u], open->n[depth - 1u]);
    } else {
        ll_engine_read_op_(r, &l);
    }
}

/* ll_engine_parse(e, text): appends the operations of a text to the graph.
 * Returns 1, or 0 with an error; e->character is its place in the text, counted
 * from 1. The text must stay in memory, because names are kept as pointers into
 * it. */
LL_FN int ll_engine_parse(ll_engine *e, const char *text) {
    ll_engine_reader_ r = {e, text, 0};
    ll_engine_open_ open = LL_ZERO;
    const unsigned from = e->ops;
    if (!text) {
        ll_engine_fail_(e, LL_ENGINE_ENULL, LL_ENGINE_NONE);
        return 0;
    }
    open.bottom = e->depth;
    e->text = text;
    e->text_ops = from;
    for (ll_engine_skip_(&r); !e->err && text[r.p]; ll_engine_skip_(&r)) {
        if (text[r.p] == '\n') {
            ++r.p;
        } else {
            ll_engine_read_line_(&r, &open);
        }
    }
    if (!e->err && e->depth != open.bottom) {
        ll_engine_stop_(&r, LL_ENGINE_ELOOP);
    }
    ll_engine_read_later_(&r, from);
    return !e->err;
}

/* Private: returns whether a value has that name. */
LL_FN int ll_engine_is_name_(const ll_engine *e, const char *name) {
    int is = 0;
    for (unsigned v = 0; !is && v < e->values; ++v) {
        const ll_engine_value *a = &e->value[v];
        is = a->name && ll_engine_is_word_(a->name, a->length, name);
    }
    return is;
}

/* Private: writes the name of a value, or v and its number. If another value
 * has that name, underscores follow. */
LL_FN void ll_engine_write_value_(ll_writer_ *w, const ll_engine *e,
                                  unsigned v) {
    char name[80] = LL_ZERO; /* names of values are shorter */
    if (v < e->values && e->value[v].name) {
        for (unsigned k = 0; k < e->value[v].length; ++k) {
            ll_write_char_(w, e->value[v].name[k]);
        }
        return;
    }
    ll_writer_ own = ll_writer_on_(name, sizeof name);
    ll_write_(&own, "v");
    ll_write_number_(&own, v);
    while (ll_engine_is_name_(e, name)) {
        ll_write_(&own, "_");
    }
    ll_write_(w, name);
}

LL_FN const char *ll_engine_kind_name_(unsigned kind) {
#define LL_ENGINE_KIND_(k, name, in_, out_) name,
    const char *const names[] = {LL_ENGINE_KINDS(LL_ENGINE_KIND_) "merge"};
#undef LL_ENGINE_KIND_
    return names[kind == LL_ENGINE_CARRY ? (unsigned)LL_ENGINE_KINDS_N_ : kind];
}

#endif /* LL_ENGINE */

/* ---- engine/links: Engine: links -------------------------------------- */

/* In most operations the layout of one operand determines the others: bits of
 * the index move, disappear or are inserted, and nothing else. So each fixed
 * layout is carried forwards and backwards from operation to operation, until
 * nothing new is found. An instance of an operation is a list of layouts for
 * all its operands and results that satisfies its rule. The candidates of a
 * value are its layouts in the instances that make or use it. */
#ifdef LL_ENGINE

/* Private: how the index bits of the small and the big side of an operation
 * correspond. Bit k of the small index is bit to[k] of the big index. */
typedef struct ll_engine_link_ {
    unsigned small_bits, big_bits;
    unsigned char to[LL_MAX_BITS];
    unsigned big_is_in; /* 1: the operands are big, the results small */
    unsigned insert;    /* new registers: 0 after the others, 1 in front */
    unsigned lone;      /* 1: only one register bit may reach the bit that the
                           small side lacks; 2: only the first one */
} ll_engine_link_;

/* Private: returns the lowest index bit of an axis. */
LL_FN unsigned ll_engine_low_(const ll_engine_value *v, unsigned axis) {
    unsigned low = 0;
    for (unsigned k = axis + 1u; k < v->rank; ++k) {
        low += v->size[k];
    }
    return low;
}

/* Private: records that the small index lacks `n` bits, from bit `at` on. */
LL_FN void ll_link_gap_(ll_engine_link_ *l, unsigned at, unsigned n) {
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        l->to[k] = (unsigned char)(l->to[k] + (l->to[k] >= at ? n : 0u));
    }
}

/* Private: returns the link of an operation. */
LL_FN ll_engine_link_ ll_engine_link_of_(const ll_engine *e,
                                         const ll_engine_op *o) {
    ll_engine_link_ l = LL_ZERO;
    const ll_engine_value *in = &e->value[e->operand[o->at]];
    const ll_engine_value *out =
        &e->value[e->operand[o->at + (o->n_out ? o->n_in : 0u)]];
    const int big_is_in =
        o->kind == LL_ENGINE_REDUCE || o->kind == LL_ENGINE_SPLIT;
    for (unsigned k = 0; k < LL_MAX_BITS; ++k) {
        l.to[k] = (unsigned char)k;
    }
    l.big_is_in = (unsigned)big_is_in;
    l.small_bits = big_is_in ? out->bits : in->bits;
    l.big_bits = big_is_in ? in->bits : out->bits;
    if (o->kind == LL_ENGINE_REDUCE) {
        ll_link_gap_(&l, ll_engine_low_(in, o->axis), in->size[o->axis]);
    } else if (o->kind == LL_ENGINE_SPLIT || o->kind == LL_ENGINE_JOIN) {
        ll_link_gap_(&l, 0, 1);
        l.insert = l.lone = 1;
    } else if (o->kind == LL_ENGINE_UNPACK) {
        ll_link_gap_(&l, ll_engine_low_(out, o->axis), 1);
        l.insert = 1;
        l.lone = 2;
    } else if (o->kind == LL_ENGINE_BROADCAST) {
        for (unsigned k = out->rank; k-- > 0;) {
            if (in->size[k] != out->size[k]) {
                ll_link_gap_(&l, ll_engine_low_(out, k), out->size[k]);
            }
        }
    } else if (o->kind == LL_ENGINE_TRANS) {
        for (unsigned k = 0; k < out->rank; ++k) {
            const unsigned low = ll_engine_low_(in, o->order[k]);
            for (unsigned b = 0; b < out->size[k]; ++b) {
                l.to[low + b] = (unsigned char)(ll_engine_low_(out, k) + b);
            }
        }
    }
    return l;
}

/* Private: returns the mask of the big bits that the small index lacks. */
LL_FN unsigned ll_link_gone_(const ll_engine_link_ *l) {
    unsigned gone = ll_ones_(l->big_bits);
    for (unsigned k = 0; k < l->small_bits; ++k) {
        gone &= ~(1u << l->to[k]);
    }
    return gone;
}

/* Private: converts a layout of the big side to the small side. Returns 0 if
 * the rule of the operation forbids it. */
LL_FN int ll_link_shrink_(const ll_engine_link_ *l, const ll_engine_flat *f,
                          ll_engine_flat *g) {
    const unsigned gone = ll_link_gone_(l);
    unsigned alone = 0;
    unsigned touching = 0;
    *g = *f;
    for (unsigned k = 0; k < ll_flat_total_(f); ++k) {
        unsigned y = 0;
        for (unsigned b = 0; b < l->small_bits; ++b) {
            y |= (f->basis[k] >> l->to[b] & 1u) << b;
        }
        g->basis[k] = y;
        touching += (f->basis[k] & gone) != 0;
        alone += k < f->n[0] && f->basis[k] == gone && (l->lone < 2u || !k);
    }
    *g = ll_flat_tidy_(*g);
    return !l->lone || (alone == 1u && touching == 1u);
}

/* Private: log2 of the most elements per lane of a value that an operation
 * enlarges, or takes as it is. */
#define LL_ENGINE_WIDEST_ 12u

/* Private: converts a layout of the small side to the big side: each lane holds
 * the new elements in registers. Returns 0 if there are too many. */
LL_FN int ll_link_grow_(const ll_engine_link_ *l, const ll_engine_flat *f,
                        ll_engine_flat *g) {
    const unsigned gone = ll_link_gone_(l);
    const unsigned more = ll_popcount_(gone);
    const ll_engine_flat none = LL_ZERO;
    if (ll_flat_total_(f) + more > LL_MAX_BITS ||
        f->n[0] + more > LL_ENGINE_WIDEST_) {
        return 0;
    }
    *g = none;
    for (unsigned d = 0; d < 4u; ++d) {
        g->n[d] = (unsigned char)(f->n[d] + (d ? 0u : more));
    }
    const unsigned at = l->insert ? 0u : f->n[0];
    unsigned n = 0;
    for (unsigned b = 0; b < l->big_bits; ++b) {
        if (gone >> b & 1u) {
            g->basis[at + n] = 1u << b;
            ++n;
        }
    }
    for (unsigned k = 0; k < ll_flat_total_(f); ++k) {
        unsigned y = 0;
        for (unsigned b = 0; b < l->small_bits; ++b) {
            y |= (f->basis[k] >> b & 1u) << l->to[b];
        }
        g->basis[k < at ? k : k + more] = y;
    }
    return 1;
}

/* Private: returns the number of the layout on the other side of a link;
 * LL_ENGINE_NONE if there is none. */
LL_FN unsigned ll_engine_across_(ll_engine *e, const ll_engine_link_ *l,
                                 unsigned id, int from_big) {
    ll_engine_flat g = LL_ZERO;
    const ll_engine_flat f = e->flat[id];
    const int ok =
        from_big ? ll_link_shrink_(l, &f, &g) : ll_link_grow_(l, &f, &g);
    return ok ? ll_engine_enter_(e, g) : LL_ENGINE_NONE;
}

/* Private: returns the index of a layout among the candidates of a value, or
 * LL_ENGINE_NONE. */
LL_FN unsigned ll_engine_at_(const ll_engine *e, unsigned v, unsigned id) {
    const ll_engine_value *a = &e->value[v];
    for (unsigned k = 0; k < a->n; ++k) {
        if (e->candidate[a->first + k] == id) {
            return k;
        }
    }
    return LL_ENGINE_NONE;
}

#endif /* LL_ENGINE */

/* ---- engine/candidates: Engine: candidates ---------------------------- */

#ifdef LL_ENGINE

/* The largest number of candidates of a value; a set of them has one bit
 * each. */
#define LL_ENGINE_MOST 24u

/* Private: the origin of a candidate: 4 * operation, plus the reason. */
enum {
    LL_ENGINE_BY_CALLER_, /* fixed there, or by its instructions */
    LL_ENGINE_BY_ACCESS_, /* coalesced for its access */
    LL_ENGINE_BY_ORDER_,  /* an order of k that suits it */
    LL_ENGINE_BY_NONE_    /* a hint, or the default */
};

/* Private: the layouts that have not been followed through the graph yet. */
typedef struct ll_engine_queue_ {
    unsigned *item; /* pairs of a value and a layout */
    unsigned n, cap;
    unsigned done, grown; /* followed without new registers, and with them */
    unsigned tiles;       /* found before any had new registers */
} ll_engine_queue_;

/* Private: returns whether a lane may use the registers for a layout of a
 * value. */
LL_FN int ll_engine_holds_(const ll_engine *e, unsigned v, unsigned id) {
    const unsigned n = e->flat[id].n[0];
    return !e->registers ||
           (n < 24u && ((1ull << n) * e->value[v].element_bits + 31u) / 32u <=
                           e->registers);
}

/* Private: returns the origin of a candidate of a value. */
LL_FN unsigned ll_engine_origin_(const ll_engine *e, unsigned v, unsigned id) {
    const unsigned at = ll_engine_at_(e, v, id);
    return e->origin && at != LL_ENGINE_NONE
               ? e->origin[e->value[v].first + at]
               : (unsigned)LL_ENGINE_BY_NONE_;
}

/* Private: offers a value a candidate. always: take it even if the value has
 * e->most candidates, as a fixed layout. */
LL_FN void ll_engine_offer_(ll_engine *e, ll_engine_queue_ *q, unsigned v,
                            unsigned id, int always) {
    ll_engine_value *a = &e->value[v];
    const unsigned most = always ? LL_ENGINE_MOST : e->most;
    if (id == LL_ENGINE_NONE || a->is_free || e->err ||
        ll_engine_at_(e, v, id) != LL_ENGINE_NONE) {
        return;
    }
    if (!ll_engine_holds_(e, v, id)) {
        ++e->dropped[1];
        return;
    }
    if (a->n >= most) {
        ++e->dropped[0];
        return;
    }
    q->item = ll_engine_room_word_(e, q->item, q->n + 2u, &q->cap);
    if (!e->err) {
        e->candidate[a->first + a->n] = id;
        if (e->origin) {
            e->origin[a->first + a->n] = e->anchor;
        }
        ++a->n;
        q->item[q->n] = v;
        q->item[q->n + 1u] = id;
        q->n += 2u;
    }
}

/* Private: returns whether the layout of one operand or result determines all
 * others through the operation's link, except for free values. */
LL_FN int ll_engine_is_tied_(const ll_engine_op *o) {
    return !ll_engine_is_given_(o->kind) && o->kind != LL_ENGINE_DOT &&
           o->kind != LL_ENGINE_GATHER && o->kind != LL_ENGINE_REORDER &&
           o->kind != LL_ENGINE_CONSTANT;
}

/* Private: returns whether operand k is on the big side of the link. */
LL_FN int ll_engine_is_big_(const ll_engine_op *o, const ll_engine_link_ *l,
                            unsigned k) {
    return (k < o->n_in) == (l->big_is_in != 0);
}

/* Private: fills in the layouts of all operands and results, given the layout
 * of operand `slot`. Returns 0 if the rule forbids it, or a fixed layout
 * differs. */
LL_FN int ll_engine_tuple_(ll_engine *e, const ll_engine_op *o, unsigned slot,
                           unsigned id, unsigned *tuple) {
    const ll_engine_link_ l = ll_engine_link_of_(e, o);
    const int from_big = ll_engine_is_big_(o, &l, slot);
    const unsigned other = ll_engine_across_(e, &l, id, from_big);
    int ok = other != LL_ENGINE_NONE;
    for (unsigned k = 0; k < o->n_in + o->n_out; ++k) {
        const unsigned want = e->fixed[o->at + k];
        tuple[k] = ll_engine_is_big_(o, &l, k) == from_big ? id : other;
        ok = ok && (want == LL_ENGINE_NONE || want == tuple[k] ||
                    e->value[e->operand[o->at + k]].is_free);
    }
    return ok;
}

/* Private: returns whether a dot may sum over k in any order, because its
 * operands are in registers. */
LL_FN int ll_engine_is_ordered_(const ll_engine_op *o) {
    return o->kind == LL_ENGINE_DOT && !ll_engine_is_placed_(o, 0) &&
           !ll_engine_is_placed_(o, 1);
}

/* Private: the most bits of k that a dot may sum over in any order. */
#define LL_ENGINE_SUMMED_ 14u

/* Private: a linear map between coordinates of two layouts, by pairs: it maps u
 * to v. No u contains the highest bit of an earlier u. */
typedef struct ll_engine_turn_ {
    unsigned n;
    unsigned u[LL_MAX_BITS], v[LL_MAX_BITS];
} ll_engine_turn_;

LL_FN void ll_turn_reduce_(const ll_engine_turn_ *t, unsigned *u, unsigned *v) {
    for (unsigned k = 0; k < t->n; ++k) {
        const int has = (*u ^ t->u[k]) < *u;
        *v ^= has ? t->v[k] : 0u;
        *u ^= has ? t->u[k] : 0u;
    }
}

/* Private: finds the order of k that turns the layout in which a dot's
 * instructions take operand `k` (0: a, 1: b) into layout `id`. Returns 0 if the
 * two layouts differ in more than the order of k. Both hold every element, so
 * the map of k is one to one. */
LL_FN int ll_engine_turn_of_(const ll_engine *e, const ll_engine_op *o,
                             unsigned k, unsigned id, ll_engine_turn_ *t) {
    const ll_engine_flat *f = &e->flat[e->fixed[o->at + k]];
    const ll_engine_flat *g = &e->flat[id];
    const ll_engine_value *a = &e->value[e->operand[o->at + k]];
    const unsigned low = k ? a->size[1] : 0u;
    const unsigned axis = ll_ones_(a->size[k ? 0 : 1]) << low;
    const ll_engine_turn_ none = LL_ZERO;
    int ok = a->size[k ? 0 : 1] <= LL_ENGINE_SUMMED_ && f->n[0] == g->n[0];
    *t = none;
    for (unsigned c = 0; ok && c < ll_flat_total_(f); ++c) {
        unsigned u = (f->basis[c] & axis) >> low;
        unsigned v = (g->basis[c] & axis) >> low;
        ll_turn_reduce_(t, &u, &v);
        ok = (f->basis[c] & ~axis) == (g->basis[c] & ~axis) && (u || !v);
        if (ok && u) {
            t->u[t->n] = u;
            t->v[t->n] = v;
            ++t->n;
        }
    }
    return ok;
}

/* Private: returns the layout of operand `k` for an order of k. */
LL_FN unsigned ll_engine_turned_(ll_engine *e, const ll_engine_op *o,
                                 unsigned k, const ll_engine_turn_ *t) {
    ll_engine_flat f = e->flat[e->fixed[o->at + k]];
    const ll_engine_value *a = &e->value[e->operand[o->at + k]];
    const unsigned low = k ? a->size[1] : 0u;
    const unsigned axis = ll_ones_(a->size[k ? 0 : 1]) << low;
    for (unsigned c = 0; c < ll_flat_total_(&f); ++c) {
        unsigned u = (f.basis[c] & axis) >> low;
        unsigned v = 0;
        ll_turn_reduce_(t, &u, &v);
        f.basis[c] = (f.basis[c] & ~axis) | v << low;
    }
    return ll_engine_enter_(e, f);
}

/* Private: offers both operands of a dot their layouts for one order of k: the
 * order for which operand `k` has layout a. */
LL_FN void ll_engine_offer_order_(ll_engine *e, ll_engine_queue_ *q,
                                  const ll_engine_op *o, unsigned k,
                                  ll_layout a) {
    ll_engine_turn_ t = LL_ZERO;
    const unsigned v = e->operand[o->at + k];
    const unsigned id = a.err ? LL_ENGINE_NONE : ll_engine_id(e, v, a);
    if (id != LL_ENGINE_NONE && ll_engine_turn_of_(e, o, k, id, &t)) {
        ll_engine_offer_(e, q, v, id, 0);
        ll_engine_offer_(e, q, e->operand[o->at + !k],
                         ll_engine_turned_(e, o, !k, &t), 0);
    }
}

/* Private: offers the operands of a dot the orders of k for which lanes hold
 * the longest vectors along k. */
LL_FN void ll_engine_shuffle_(ll_engine *e, ll_engine_queue_ *q,
                              const ll_engine_op *o) {
    for (unsigned k = 0; k < 2u && !e->err; ++k) {
        const unsigned v = e->operand[o->at + k];
        const unsigned bytes = (e->value[v].element_bits + 7u) / 8u;
        const ll_layout a = ll_engine_layout(e, v, e->fixed[o->at + k]);
        const ll_dim d = ll_axis(!k);
        ll_layout s = LL_ZERO;
        for (unsigned n = 16u / bytes; n > 1u; n /= 2u) {
            s = ll_preshuffle(a, d, n);
            if (!s.err) {
                ll_engine_offer_order_(e, q, o, k, ll_renumber(a, d, s));
                break;
            }
        }
    }
}

/* Private: follows a new candidate of operand a or b of a dot. The other
 * operand takes the same order of k. If the candidate differs in more than the
 * order of k, the order that comes nearest to it is offered. */
LL_FN void ll_engine_follow_dot_(ll_engine *e, ll_engine_queue_ *q,
                                 const ll_engine_op *o, unsigned v,
                                 unsigned id) {
    for (unsigned k = 0; k < 2u && !e->err; ++k) {
        ll_engine_turn_ t = LL_ZERO;
        if (e->operand[o->at + k] != v) {
            continue;
        }
        if (ll_engine_turn_of_(e, o, k, id, &t)) {
            ll_engine_offer_(e, q, e->operand[o->at + !k],
                             ll_engine_turned_(e, o, !k, &t), 0);
            continue;
        }
        const ll_layout a = ll_engine_layout(e, v, e->fixed[o->at + k]);
        const ll_dim d = ll_axis(!k);
        const ll_layout s = ll_absorb(a, ll_engine_layout(e, v, id), d);
        ll_engine_offer_order_(e, q, o, k, ll_renumber(a, d, s));
    }
}

/* Private: returns whether an operation gives a layout of operand `slot` new
 * registers on its other side, for the elements that only that side has. */
LL_FN int ll_engine_grows_(const ll_engine_op *o, unsigned slot) {
    return o->kind == LL_ENGINE_REDUCE      ? slot >= o->n_in
           : o->kind == LL_ENGINE_BROADCAST ? slot < o->n_in
                                            : 0;
}

/* Private: follows a new candidate of a value through one operation. With
 * `grow`, follows it only where the other side needs new registers, else only
 * elsewhere. */
LL_FN void ll_engine_follow_(ll_engine *e, ll_engine_queue_ *q, unsigned op,
                             unsigned v, unsigned id, int grow,
                             unsigned *tuple) {
    const ll_engine_op *o = &e->op[op];
    for (unsigned slot = 0; slot < o->n_in + o->n_out && !e->err; ++slot) {
        if (e->operand[o->at + slot] != v || !ll_engine_is_tied_(o) ||
            ll_engine_grows_(o, slot) != grow) {
            continue;
        }
        if (ll_engine_tuple_(e, o, slot, id, tuple)) {
            for (unsigned k = 0; k < o->n_in + o->n_out; ++k) {
                ll_engine_offer_(e, q, e->operand[o->at + k], tuple[k], 0);
            }
        }
    }
    if (grow) {
        return;
    }
    if (ll_engine_is_ordered_(o)) {
        const unsigned anchor = e->anchor;
        e->anchor = 4u * op + LL_ENGINE_BY_ORDER_;
        ll_engine_follow_dot_(e, q, o, v, id);
        e->anchor = anchor;
    }
    if (o->kind == LL_ENGINE_REORDER) {
        ll_engine_offer_(e, q, e->operand[o->at], id, 0);
        ll_engine_offer_(e, q, e->operand[o->at + 1u], id, 0);
    }
    if (o->kind == LL_ENGINE_GATHER && (e->operand[o->at + 1u] == v ||
                                        e->operand[o->at + 2u] == v)) {
        ll_engine_offer_(e, q, e->operand[o->at + 1u], id, 0);
        ll_engine_offer_(e, q, e->operand[o->at + 2u], id, 0);
    }
}

/* Private: lists the uses of each value. */
LL_FN void ll_engine_list_uses_(ll_engine *e) {
    unsigned n = 0;
    e->use = ll_engine_take_word_(e, e->operands + 1u);
    for (unsigned v = 0; v < e->values; ++v) {
        e->value[v].uses = 0;
    }
    for (int fill = 0; fill < 2 && !e->err; ++fill) {
        for (unsigned p = 0; p < e->ops; ++p) {
            const ll_engine_op *o = &e->op[p];
            for (unsigned k = 0; k < o->n_in; ++k) {
                ll_engine_value *v = &e->value[e->operand[o->at + k]];
                if (fill) {
                    e->use[v->use + v->uses] = p;
                }
                ++v->uses;
            }
        }
        for (unsigned v = 0; v < e->values && !fill; ++v) {
            e->value[v].use = n;
            n += e->value[v].uses;
            e->value[v].uses = 0;
        }
    }
}

LL_FN int ll_engine_is_shape_(unsigned kind) {
    return kind == LL_ENGINE_TRANS || kind == LL_ENGINE_RESHAPE ||
           kind == LL_ENGINE_EXPAND || kind == LL_ENGINE_BROADCAST ||
           kind == LL_ENGINE_JOIN || kind == LL_ENGINE_SPLIT ||
           kind == LL_ENGINE_CONVERT;
}

/* Private: the values on the way from copies to a dot that reads their tile,
 * each with the layout of the tile at that value. */
#define LL_ENGINE_WAY_ 16u

typedef struct ll_engine_way_to_ {
    unsigned n;
    unsigned value[LL_ENGINE_WAY_];
    ll_engine_flat tile[LL_ENGINE_WAY_];
} ll_engine_way_to_;

/* Private: adds a value to the way. Returns 0 if it is there with another
 * layout, or if there are too many. */
LL_FN int ll_engine_pass_(ll_engine_way_to_ *w, unsigned v,
                          const ll_engine_flat *f) {
    unsigned k = 0;
    while (k < w->n && w->value[k] != v) {
        ++k;
    }
    if (k == w->n && k < LL_ENGINE_WAY_) {
        w->value[k] = v;
        w->tile[k] = *f;
        ++w->n;
    }
    return k < w->n && ll_flat_is_equal_(&w->tile[k], f);
}

/* Private: follows tile `id` of value v back through transposes and around
 * loops. Returns 0 if not all of it comes from copies. */
LL_FN int ll_engine_brought_(const ll_engine *e, unsigned v, unsigned id,
                             ll_engine_way_to_ *w) {
    w->n = 0;
    int ok = id < e->flats && ll_engine_pass_(w, v, &e->flat[id]);
    for (unsigned k = 0; ok && k < w->n; ++k) {
        const ll_engine_op *o = &e->op[e->value[w->value[k]].def];
        ll_engine_flat f = w->tile[k];
        if (o->kind == LL_ENGINE_TRANS) {
            const ll_engine_link_ l = ll_engine_link_of_(e, o);
            ll_link_shrink_(&l, &w->tile[k], &f);
        }
        ok = o->kind == LL_ENGINE_TRANS || o->kind == LL_ENGINE_CARRY ||
             ll_engine_is_tile_(o->kind);
        for (unsigned i = 0; ok && i < o->n_in; ++i) {
            ok = ll_engine_pass_(w, e->operand[o->at + i], &f);
        }
    }
    return ok;
}

/* Private: returns the layout of a tile that copies bring and a dot can read as
 * its operand k; LL_ENGINE_NONE if there is none. */
LL_FN unsigned ll_engine_tile_there_(const ll_engine *e, const ll_engine_op *o,
                                     unsigned k) {
    ll_engine_way_to_ w = LL_ZERO;
    unsigned found = LL_ENGINE_NONE;
    for (unsigned t = 0; t < 2u; ++t) {
        int there = ll_engine_brought_(e, e->operand[o->at + k],
                                       o->place[k][t], &w);
        for (unsigned j = 0; there && j < w.n; ++j) {
            const ll_engine_op *copy = &e->op[e->value[w.value[j]].def];
            there = !ll_engine_is_tile_(copy->kind) ||
                    (copy->memory < e->flats &&
                     ll_flat_is_equal_(&e->flat[copy->memory], &w.tile[j]));
        }
        found = there ? o->place[k][t] : found;
    }
    return found;
}

/* Private: gives copies without memory= the layout in which a dot reads their
 * tile, if rows of the tensor are contiguous there. */
LL_FN void ll_engine_place_tile_(ll_engine *e, const ll_engine_op *o,
                                 unsigned k) {
    ll_engine_way_to_ w = LL_ZERO;
    for (unsigned t = 0; t < 2u && ll_engine_is_placed_(o, k); ++t) {
        const int all = ll_engine_brought_(e, e->operand[o->at + k],
                                           o->place[k][t], &w);
        for (unsigned j = 0; all && j < w.n; ++j) {
            const unsigned copy = e->value[w.value[j]].def;
            if (ll_engine_is_tile_(e->op[copy].kind) &&
                e->op[copy].memory == LL_ENGINE_NONE &&
                w.tile[j].basis[0] == 1u) {
                e->op[copy].memory = ll_engine_enter_(e, w.tile[j]);
            }
        }
    }
}

/* Private: returns whether no lane needs a value: each use reads its tile in
 * place, or passes it on to a value that is in place. */
LL_FN int ll_engine_all_in_place_(const ll_engine *e, unsigned v) {
    const ll_engine_value *a = &e->value[v];
    int all = 1;
    for (unsigned k = 0; k <= a->uses; ++k) {
        const unsigned op = k < a->uses ? e->use[a->use + k] : a->def;
        const ll_engine_op *o = &e->op[op];
        all = all && (ll_engine_is_dot_(o->kind) ||
                      o->kind == LL_ENGINE_TRANS ||
                      o->kind == LL_ENGINE_CARRY || k == a->uses);
        for (unsigned i = 0; all && i < o->n_in + o->n_out; ++i) {
            const unsigned u = e->operand[o->at + i];
            all = ll_engine_is_dot_(o->kind)
                      ? u != v || (i < 2u && o->in_place[i] != LL_ENGINE_NONE)
                      : i < o->n_in || e->value[u].in_place;
        }
    }
    return all;
}

/* Private: marks the values on the way to operand k of a dot as in place. An
 * unused value of a loop is in place if its other value is. */
LL_FN void ll_engine_mark_way_(ll_engine *e, const ll_engine_op *o,
                               unsigned k) {
    ll_engine_way_to_ w = LL_ZERO;
    ll_engine_brought_(e, e->operand[o->at + k], o->in_place[k], &w);
    for (unsigned j = 0; j < w.n && o->in_place[k] != LL_ENGINE_NONE; ++j) {
        const ll_engine_op *made = &e->op[e->value[w.value[j]].def];
        int fixed = 0;
        for (unsigned i = 0; i < made->n_in + made->n_out; ++i) {
            fixed = fixed || e->fixed[made->at + i] != LL_ENGINE_NONE;
        }
        for (unsigned i = 0; i < made->n_out && !fixed; ++i) {
            const unsigned v = e->operand[made->at + made->n_in + i];
            e->value[v].in_place |= v == w.value[j] || !e->value[v].uses;
        }
    }
}

/* Private: undoes the transposes that made v. Returns the value before them,
 * and changes *id from a layout of v's tile to one of that value's. */
LL_FN unsigned ll_engine_root_(ll_engine *e, unsigned v, unsigned *id) {
    const ll_engine_op *o = &e->op[e->value[v].def];
    for (; o->kind == LL_ENGINE_TRANS; o = &e->op[e->value[v].def]) {
        const ll_engine_link_ l = ll_engine_link_of_(e, o);
        *id = *id < e->flats ? ll_engine_across_(e, &l, *id, 1) : *id;
        v = e->operand[o->at];
    }
    return v;
}

/* Private: finds the operands that need no tile of their own, because one
 * before them always stores the same value. A dot's b comes before its a. */
LL_FN void ll_engine_share_tiles_(ll_engine *e) {
    for (unsigned x = 0; x < 2u * e->ops && !e->err; ++x) {
        ll_engine_op *o = &e->op[x / 2u];
        const unsigned k = !(x % 2u);
        if (ll_engine_is_placed_(o, k)) {
            unsigned m[2] = {o->place[k][0], o->place[k][1]};
            const unsigned u = e->operand[o->at + k];
            ll_engine_root_(e, u, &m[0]);
            unsigned *t = e->value[ll_engine_root_(e, u, &m[1])].tile;
            o->shares[k] = t[0] && (m[0] == t[1] ? m[1] == t[2]
                                    : m[0] == t[2] && m[1] == t[1]);
            if (!t[0] && o->place[k][2] == LL_ENGINE_NONE) {
                t[0] = (x ^ 1u) + 1u;
                t[1] = m[0];
                t[2] = m[1];
            }
        }
    }
}

/* Private: finds the tiles that dots read in place, and the values that no lane
 * has to hold. */
LL_FN void ll_engine_find_tiles_(ll_engine *e) {
    for (unsigned v = 0; v < e->values; ++v) {
        e->value[v].in_place = e->value[v].tile[0] = 0;
    }
    for (unsigned p = 0; p < e->ops && !e->err; ++p) {
        ll_engine_op *o = &e->op[p];
        for (unsigned k = 0; k < 2u && ll_engine_is_dot_(o->kind); ++k) {
            ll_engine_place_tile_(e, o, k);
            o->in_place[k] = e->fixed[o->at + k] != LL_ENGINE_NONE
                                 ? LL_ENGINE_NONE
                                 : ll_engine_tile_there_(e, o, k);
            ll_engine_mark_way_(e, o, k);
        }
    }
    for (unsigned change = 1; change && !e->err;) {
        change = 0;
        for (unsigned v = 0; v < e->values; ++v) {
            if (e->value[v].in_place && !ll_engine_all_in_place_(e, v)) {
                e->value[v].in_place = 0;
                change = 1;
            }
        }
    }
    ll_engine_share_tiles_(e);
}

/* Private: finds free values: constants are available in any layout, and so are
 * results of operations without cost, such as shape operations, on free values.
 * Also finds light operations. */
LL_FN void ll_engine_find_free_(ll_engine *e) {
    for (unsigned p = 0; p < e->ops; ++p) {
        const ll_engine_op *o = &e->op[p];
        int all = o->kind == LL_ENGINE_CONSTANT ||
                  (o->n_in && o->n_out && !o->cost &&
                   (o->kind == LL_ENGINE_MAP || ll_engine_is_shape_(o->kind)));
        for (unsigned k = 0; k < o->n_in; ++k) {
            all = all && e->value[e->operand[o->at + k]].is_free;
        }
        for (unsigned k = 0; k < o->n_in + o->n_out; ++k) {
            all = all && e->fixed[o->at + k] == LL_ENGINE_NONE;
        }
        int light = o->n_in && o->n_out && o->cost <= 8u &&
                    (o->kind == LL_ENGINE_MAP || ll_engine_is_shape_(o->kind));
        for (unsigned k = 0; k < o->n_in; ++k) {
            const ll_engine_value *v = &e->value[e->operand[o->at + k]];
            light = light && (v->is_free || e->op[v->def].is_light);
        }
        e->op[p].is_light = (unsigned)light;
        for (unsigned k = 0; k < o->n_out; ++k) {
            ll_engine_value *r = &e->value[e->operand[o->at + o->n_in + k]];
            r->is_free = (unsigned)all | r->in_place;
        }
    }
}

#endif /* LL_ENGINE */

/* ---- engine/seeds: Engine: the first candidates ----------------------- */

#ifdef LL_ENGINE

/* Private: returns the row-major layout of a value in which each lane holds
 * 2^wide neighbours along `axis`, and lanes lie side by side along it first.
 * The axis first takes `bits` bits: beyond its size there are copies, and what
 * is left of it comes last. */
LL_FN ll_engine_flat ll_engine_rows_of_(const ll_engine *e,
                                        const ll_engine_value *v, unsigned axis,
                                        unsigned wide, unsigned bits) {
    ll_engine_flat f = LL_ZERO;
    unsigned order[LL_MAX_BITS] = LL_ZERO;
    unsigned n = 0;
    unsigned at = 0;
    for (unsigned k = 0; k < v->rank; ++k) {
        const unsigned a = k == 0               ? axis
                           : v->rank - k > axis ? v->rank - k
                                                : v->rank - k - 1u;
        for (unsigned b = 0; b < (k ? v->size[a] : bits); ++b) {
            order[n] = b < v->size[a] ? 1u << (ll_engine_low_(v, a) + b) : 0u;
            ++n;
        }
    }
    for (unsigned b = bits; b < v->size[axis]; ++b) {
        order[n] = 1u << (ll_engine_low_(v, axis) + b);
        ++n;
    }
    const unsigned threads = e->counts[1] + e->counts[2] + e->counts[3];
    wide = wide < n ? wide : n;
    f.n[0] = (unsigned char)(n > threads + wide ? n - threads : wide);
    for (unsigned d = 1; d < 4u; ++d) {
        f.n[d] = (unsigned char)e->counts[d];
    }
    for (unsigned k = 0; k < f.n[0] + threads; ++k) {
        const unsigned from = k < wide     ? k
                              : k < f.n[0] ? k + threads
                                           : k - f.n[0] + wide;
        f.basis[at] = from < n ? order[from] : 0u;
        ++at;
    }
    return f;
}

LL_FN ll_engine_flat ll_engine_rows_(const ll_engine *e,
                                     const ll_engine_value *v, unsigned axis,
                                     unsigned wide) {
    return ll_engine_rows_of_(e, v, axis, wide, v->size[axis]);
}

/* Private: offers both sides of a gather the layouts in which a warp holds
 * whole lines of its axis, so that no element comes from another warp. */
LL_FN void ll_engine_gather_lines_(ll_engine *e, ll_engine_queue_ *q,
                                   const ll_engine_op *o) {
    const ll_engine_value a = e->value[e->operand[o->at]];
    const unsigned bits = a.size[o->axis];
    const unsigned lanes = e->counts[1];
    const unsigned wide = bits > lanes ? bits - lanes : 0u;
    for (unsigned k = 0; k < 3u && bits + 10u < LL_MAX_BITS; ++k) {
        const unsigned v = e->operand[o->at + k];
        const ll_engine_value b = e->value[v];
        ll_engine_offer_(
            e, q, v,
            ll_engine_enter_(
                e, ll_engine_rows_of_(e, &b, o->axis, wide, bits)),
            0);
    }
}

/* Private: offers a value the layouts in which lanes lie along one of its axes,
 * for each axis, with one element or 16 bytes per lane. */
LL_FN void ll_engine_offer_rows_(ll_engine *e, ll_engine_queue_ *q,
                                 unsigned v) {
    const ll_engine_value a = e->value[v];
    const unsigned bytes = (a.element_bits + 7u) / 8u;
    unsigned wide = 0;
    while ((bytes << wide) < 16u) {
        ++wide;
    }
    for (unsigned k = a.rank; k-- > 0 && !e->err;) {
        for (unsigned w = 0; w <= wide; w += wide ? wide : 1u) {
            ll_engine_offer_(
                e, q, v, ll_engine_enter_(e, ll_engine_rows_(e, &a, k, w)), 0);
        }
    }
}

/* Private: offers the result of a reorder, which may come in any order, the
 * layouts in which each lane holds whole lines of an axis. */
LL_FN void ll_engine_lines_(ll_engine *e, ll_engine_queue_ *q,
                            const ll_engine_op *o) {
    const unsigned v = e->operand[o->at + 1u];
    const ll_engine_value a = e->value[v];
    for (unsigned k = 0; k < a.rank && !e->err; ++k) {
        ll_engine_offer_(
            e, q, v, ll_engine_enter_(e, ll_engine_rows_(e, &a, k, a.size[k])),
            0);
    }
}

/* Private: offers the layouts that are fixed for operation p. Fails if it lacks
 * something that the caller must give. */
LL_FN void ll_engine_seed_op_(ll_engine *e, ll_engine_queue_ *q, unsigned p) {
    const ll_engine_op *o = &e->op[p];
    const int dot = o->kind == LL_ENGINE_DOT;
    for (unsigned k = 0; k < o->n_in + o->n_out; ++k) {
        const unsigned v = e->operand[o->at + k];
        const unsigned id = e->fixed[o->at + k];
        if ((ll_engine_is_given_(o->kind) || dot) && id == LL_ENGINE_NONE &&
            !ll_engine_is_placed_(o, k) && (!e->value[v].is_free || dot)) {
            ll_engine_fail_(e, LL_ENGINE_EFIXED, p);
        }
        ll_engine_offer_(e, q, v, id, 1);
        if (ll_engine_is_placed_(o, k)) {
            ll_engine_offer_(e, q, v, o->place[k][2], 1);
        }
    }
    if (ll_engine_is_tile_(o->kind) && o->memory == LL_ENGINE_NONE) {
        ll_engine_fail_(e, LL_ENGINE_EMEMORY, p);
    }
    if (o->kind == LL_ENGINE_SORT && !e->sort) {
        ll_engine_fail_(e, LL_ENGINE_ESORT, p);
    }
}

/* Private: offers the first candidates: fixed layouts, hints, and coalesced
 * ones. */
LL_FN void ll_engine_seed_(ll_engine *e, ll_engine_queue_ *q) {
    for (unsigned p = 0; p < e->ops; ++p) {
        e->anchor = 4u * p + LL_ENGINE_BY_CALLER_;
        ll_engine_seed_op_(e, q, p);
    }
    for (unsigned p = 0; p < e->ops && !e->err; ++p) {
        if (ll_engine_is_ordered_(&e->op[p])) {
            e->anchor = 4u * p + LL_ENGINE_BY_ORDER_;
            ll_engine_shuffle_(e, q, &e->op[p]);
        }
    }
    e->anchor = LL_ENGINE_BY_NONE_;
    for (unsigned k = 0; k < e->hints; k += 2u) {
        ll_engine_offer_(e, q, e->hint[k], e->hint[k + 1u], 0);
    }
    for (unsigned p = 0; p < e->ops && !e->err; ++p) {
        const ll_engine_op *o = &e->op[p];
        int any = 0;
        e->anchor = 4u * p + LL_ENGINE_BY_ACCESS_;
        for (unsigned k = 0; k < o->n_in + o->n_out; ++k) {
            any = any || e->fixed[o->at + k] != LL_ENGINE_NONE;
        }
        if (!any && (o->kind == LL_ENGINE_LOAD || o->kind == LL_ENGINE_STORE ||
                     o->kind == LL_ENGINE_ATOMIC ||
                     ll_engine_is_tile_(o->kind))) {
            ll_engine_offer_rows_(
                e, q, e->operand[o->at + (o->n_in > 1u ? 1u : 0u)]);
        }
        if (o->kind == LL_ENGINE_REORDER) {
            ll_engine_lines_(e, q, o);
        }
        if (o->kind == LL_ENGINE_GATHER) {
            ll_engine_gather_lines_(e, q, o);
        }
    }
}

/* Private: returns whether an unpack of a constant has no candidate yet with
 * the pairs in the first register. */
LL_FN int ll_engine_lacks_pairs_(const ll_engine *e, const ll_engine_op *o) {
    const ll_engine_value *a = &e->value[e->operand[o->at + o->n_in]];
    const ll_engine_link_ l = ll_engine_link_of_(e, o);
    ll_engine_flat g = LL_ZERO;
    int lacks = e->value[e->operand[o->at]].is_free != 0;
    for (unsigned k = 0; k < a->n && lacks; ++k) {
        lacks = !ll_link_shrink_(&l, &e->flat[e->candidate[a->first + k]], &g);
    }
    return lacks;
}

/* Private: returns whether a source has only layouts that came from rows or
 * columns, which give lanes more elements than they need to have. */
LL_FN int ll_engine_is_crowded_(const ll_engine *e, const ll_engine_queue_ *q,
                                unsigned v) {
    const ll_engine_value *a = &e->value[v];
    const ll_engine_op *o = &e->op[a->def];
    const unsigned threads = e->counts[1] + e->counts[2] + e->counts[3];
    int all = a->n && o->kind == LL_ENGINE_SOURCE;
    for (unsigned k = 0; all && k < a->n; ++k) {
        all = e->flat[e->candidate[a->first + k]].n[0] + threads > a->bits;
    }
    for (unsigned k = 0; all && k < q->tiles; k += 2u) {
        all = q->item[k] != v;
    }
    return all;
}

/* Private: gives a value that nothing has reached a row-major layout, and the
 * result of an unpack of a constant a layout with pairs in a register. Offers
 * rows to a source that has crowded layouts alone. */
LL_FN void ll_engine_default_(ll_engine *e, ll_engine_queue_ *q) {
    e->anchor = LL_ENGINE_BY_NONE_;
    for (unsigned v = 0; v < e->values && !e->err; ++v) {
        const ll_engine_value a = e->value[v];
        const ll_engine_op *o = &e->op[a.def];
        const int pairs =
            o->kind == LL_ENGINE_UNPACK && ll_engine_lacks_pairs_(e, o);
        const unsigned axis = pairs ? o->axis : a.rank ? a.rank - 1u : 0u;
        if (!a.is_free && (a.n == 0 || pairs) && q->done == q->n) {
            ll_engine_offer_(
                e, q, v,
                ll_engine_enter_(
                    e, ll_engine_rows_(e, &a, axis, pairs ? 1u : 0u)),
                1);
        }
        if (!a.is_free && q->done == q->n && ll_engine_is_crowded_(e, q, v)) {
            ll_engine_offer_rows_(e, q, v);
        }
    }
}

/* Private: returns whether all operands and results of an operation have the
 * layouts of a list among their candidates. */
LL_FN int ll_engine_has_(const ll_engine *e, const ll_engine_op *o,
                         const unsigned *tuple) {
    int all = 1;
    for (unsigned k = 0; all && k < o->n_in + o->n_out; ++k) {
        const unsigned v = e->operand[o->at + k];
        all = e->value[v].is_free ||
              ll_engine_at_(e, v, tuple[k]) != LL_ENGINE_NONE;
    }
    return all;
}

/* Private: if values had too many candidates to take others, the operands of an
 * operation may have none in common. They then take one more. */
LL_FN void ll_engine_join_up_(ll_engine *e, ll_engine_queue_ *q,
                              unsigned *tuple) {
    for (unsigned p = 0; p < e->ops && !e->err && q->done == q->n; ++p) {
        const ll_engine_op *o = &e->op[p];
        unsigned slot = LL_ENGINE_NONE;
        unsigned id = LL_ENGINE_NONE;
        int some = !ll_engine_is_tied_(o);
        for (unsigned s = 0; s < o->n_in + o->n_out && !some; ++s) {
            const ll_engine_value a = e->value[e->operand[o->at + s]];
            for (unsigned k = 0; k < a.n && !some; ++k) {
                const unsigned c = e->candidate[a.first + k];
                if (ll_engine_tuple_(e, o, s, c, tuple)) {
                    some = ll_engine_has_(e, o, tuple);
                    slot = s;
                    id = c;
                }
            }
        }
        if (!some && slot != LL_ENGINE_NONE &&
            ll_engine_tuple_(e, o, slot, id, tuple)) {
            for (unsigned k = 0; k < o->n_in + o->n_out; ++k) {
                ll_engine_offer_(e, q, e->operand[o->at + k], tuple[k], 1);
            }
        }
    }
}

/* Private: returns the largest number of operands and results of an
 * operation. */
LL_FN unsigned ll_engine_widest_op_(const ll_engine *e) {
    unsigned most = 1;
    for (unsigned p = 0; p < e->ops; ++p) {
        const unsigned n = e->op[p].n_in + e->op[p].n_out;
        most = n > most ? n : most;
    }
    return most;
}

/* Private: follows item `at` of the queue through the operations that make and
 * use its value. */
LL_FN void ll_engine_follow_all_(ll_engine *e, ll_engine_queue_ *q, unsigned at,
                                 int grow, unsigned *tuple) {
    const unsigned v = q->item[at];
    const unsigned id = q->item[at + 1u];
    e->anchor = ll_engine_origin_(e, v, id);
    ll_engine_follow_(e, q, e->value[v].def, v, id, grow, tuple);
    for (unsigned k = 0; k < e->value[v].uses; ++k) {
        ll_engine_follow_(e, q, e->use[e->value[v].use + k], v, id, grow,
                          tuple);
    }
}

/* Private: carries the candidates through the graph until nothing is new. A
 * value has room for few. So layouts of tiles reach their rows and columns
 * first. Then layouts of rows and columns reach tiles, with all new elements in
 * one lane, and both take turns. */
LL_FN void ll_engine_spread_(ll_engine *e) {
    ll_engine_queue_ q = LL_ZERO;
    unsigned *tuple = ll_engine_take_word_(e, ll_engine_widest_op_(e));
    e->candidate =
        ll_engine_take_word_(e, (unsigned long long)e->values * LL_ENGINE_MOST);
    if (!e->pool) {
        e->origin = ll_engine_take_word_(
            e, (unsigned long long)e->values * LL_ENGINE_MOST);
    }
    for (unsigned v = 0; v < e->values; ++v) {
        e->value[v].first = v * LL_ENGINE_MOST;
        e->value[v].n = 0;
    }
    if (e->err) {
        return;
    }
    ll_engine_seed_(e, &q);
    do {
        while ((q.done < q.n || q.grown < q.n) && !e->err) {
            const int grow = q.done == q.n || (q.grown && q.grown < q.done);
            unsigned *next = grow ? &q.grown : &q.done;
            q.tiles = grow && !q.grown ? q.n : q.tiles;
            ll_engine_follow_all_(e, &q, *next, grow, tuple);
            *next += 2u;
        }
        ll_engine_default_(e, &q);
        if (e->dropped[0] && q.done == q.n) {
            ll_engine_join_up_(e, &q, tuple);
        }
    } while (q.done < q.n && !e->err);
}

#endif /* LL_ENGINE */

/* ---- engine/instances: Engine: instances ------------------------------ */

/* All operations and conversions have prices in one unit: eighths of a cycle
 * per warp, with many warps in flight, as the planner counts them. A
 * conversion, a reduction, a scan, a sort or a gather costs what its plan
 * costs. Arithmetic costs its instructions for each register of a lane, so
 * copies in other lanes cost more registers. An access to global memory costs
 * its instructions and the memory that they touch: lines of 128 bytes,
 * half-lines, and sectors of 32 bytes. Every price is multiplied by the trips
 * of the loops around it. */
#ifdef LL_ENGINE

/* Private: adds an instance, unless it is known or an operand lacks its
 * candidate. An instance holds indices of candidates. */
LL_FN void ll_engine_instance_(ll_engine *e, ll_engine_op *o,
                               const unsigned *tuple) {
    const unsigned n = o->n_in + o->n_out;
    e->instance = ll_engine_room_word_(e, e->instance, e->instance_words + n,
                                       &e->cap_instance);
    if (e->err) {
        return;
    }
    unsigned *to = e->instance + e->instance_words;
    for (unsigned k = 0; k < n; ++k) {
        const unsigned v = e->operand[o->at + k];
        const int held = !e->value[v].is_free &&
                         (k >= 2u || o->in_place[k] == LL_ENGINE_NONE);
        to[k] = held ? ll_engine_at_(e, v, tuple[k]) : LL_ENGINE_NONE;
        if (held && to[k] == LL_ENGINE_NONE) {
            ++e->dropped[2];
            return;
        }
    }
    for (unsigned t = 0; t < o->n; ++t) {
        unsigned same = 0;
        while (same < n && e->instance[o->first + t * n + same] == to[same]) {
            ++same;
        }
        if (same == n) {
            return;
        }
    }
    ++o->n;
    e->instance_words += n;
}

/* Private: returns whether two layouts have equally many registers, and copies
 * in the same lanes, warps and blocks. Then one can hold the elements of the
 * other in some order. */
LL_FN int ll_engine_is_reorder_(const ll_engine *e, unsigned a, unsigned b) {
    const ll_engine_flat *f = &e->flat[a];
    const ll_engine_flat *g = &e->flat[b];
    int same = f->n[0] == g->n[0];
    for (unsigned k = f->n[0]; same && k < ll_flat_total_(f); ++k) {
        same = !f->basis[k] == !g->basis[k];
    }
    return same;
}

/* Private: lists the instances of an operation in which the first operand may
 * have a different layout; all others have the same one. */
LL_FN void ll_engine_pairs_(ll_engine *e, ll_engine_op *o, unsigned *tuple) {
    const unsigned last = o->n_in + o->n_out - 1u;
    const ll_engine_value a = e->value[e->operand[o->at]];
    const ll_engine_value b = e->value[e->operand[o->at + last]];
    for (unsigned k = 0; k < (a.is_free ? 1u : a.n) * b.n; ++k) {
        tuple[1] = tuple[last] = e->candidate[b.first + k % b.n];
        tuple[0] = a.is_free ? tuple[1] : e->candidate[a.first + k / b.n];
        int ok = o->kind == LL_ENGINE_GATHER ||
                 ll_engine_is_reorder_(e, tuple[0], tuple[1]);
        for (unsigned s = 0; s <= last; ++s) {
            ok = ok && (e->fixed[o->at + s] == LL_ENGINE_NONE ||
                        e->fixed[o->at + s] == tuple[s]);
        }
        if (ok) {
            ll_engine_instance_(e, o, tuple);
        }
    }
}

/* Private: lists the instances of a dot: the orders of k that a may have, or b
 * if a is free. The other operands have their fixed layouts. */
LL_FN void ll_engine_list_orders_(ll_engine *e, ll_engine_op *o,
                                  unsigned *tuple) {
    const unsigned side = e->value[e->operand[o->at]].is_free ? 1u : 0u;
    const ll_engine_value a = e->value[e->operand[o->at + side]];
    for (unsigned k = 0; k < o->n_in + o->n_out; ++k) {
        tuple[k] = e->fixed[o->at + k];
    }
    if (a.is_free) {
        ll_engine_instance_(e, o, tuple);
    }
    for (unsigned k = 0; k < a.n && !a.is_free && !e->err; ++k) {
        ll_engine_turn_ t = LL_ZERO;
        tuple[side] = e->candidate[a.first + k];
        if (ll_engine_turn_of_(e, o, side, tuple[side], &t)) {
            tuple[!side] = ll_engine_turned_(e, o, !side, &t);
            ll_engine_instance_(e, o, tuple);
        }
    }
}

/* Private: returns the n-th layout that operand k of a dot may have. A tile in
 * place, a constant and an operand that the caller fixed have one layout;
 * otherwise it is each candidate. LL_ENGINE_NONE: there are no more. */
LL_FN unsigned ll_engine_choice_(const ll_engine *e, const ll_engine_op *o,
                                 unsigned k, unsigned n) {
    const ll_engine_value *v = &e->value[e->operand[o->at + k]];
    unsigned one = o->in_place[k];
    one = one == LL_ENGINE_NONE ? e->fixed[o->at + k] : one;
    for (unsigned t = 3; t-- > 0 && v->is_free;) {
        one = one == LL_ENGINE_NONE ? o->place[k][t] : one;
    }
    return one != LL_ENGINE_NONE ? (n ? LL_ENGINE_NONE : one)
           : n < v->n            ? e->candidate[v->first + n]
                                 : LL_ENGINE_NONE;
}

/* Private: lists the instances of a dot that may read operands in shared
 * memory. */
LL_FN void ll_engine_list_places_(ll_engine *e, ll_engine_op *o,
                                  unsigned *tuple) {
    for (unsigned k = 0; k < o->n_in + o->n_out; ++k) {
        tuple[k] = e->fixed[o->at + k];
    }
    for (unsigned a = 0; !e->err; ++a) {
        tuple[0] = ll_engine_choice_(e, o, 0, a);
        if (tuple[0] == LL_ENGINE_NONE) {
            break;
        }
        for (unsigned b = 0; !e->err; ++b) {
            tuple[1] = ll_engine_choice_(e, o, 1, b);
            if (tuple[1] == LL_ENGINE_NONE) {
                break;
            }
            ll_engine_instance_(e, o, tuple);
        }
    }
}

/* Private: returns whether an operation only stores, in whatever layout is
 * best. A sink does not: a sink of constants costs nothing. */
LL_FN int ll_engine_is_end_(const ll_engine_op *o) {
    return o->n_in && !o->n_out && ll_engine_is_tied_(o) &&
           o->kind != LL_ENGINE_SINK;
}

/* Private: returns why an operation has no instance: a limit of registers, or
 * no layout satisfies its rule and the fixed layouts. */
LL_FN unsigned ll_engine_unfit_(const ll_engine *e, const ll_engine_op *o) {
    const ll_engine_link_ l = ll_engine_link_of_(e, o);
    const unsigned more = ll_popcount_(ll_link_gone_(&l));
    unsigned wide = 0;
    for (unsigned s = 0; s < o->n_in + o->n_out && ll_engine_is_tied_(o); ++s) {
        const ll_engine_value *v = &e->value[e->operand[o->at + s]];
        const unsigned grows = ll_engine_is_big_(o, &l, s) ? 0u : more;
        for (unsigned k = 0; k < v->n; ++k) {
            const ll_engine_flat *f = &e->flat[e->candidate[v->first + k]];
            wide |= f->n[0] + grows > LL_ENGINE_WIDEST_;
        }
    }
    return wide            ? (unsigned)LL_ENGINE_EWIDE
           : e->dropped[1] ? (unsigned)LL_ENGINE_EREGISTERS
                           : (unsigned)LL_ENGINE_EFIT;
}

/* Private: lists the instances of one operation. */
LL_FN void ll_engine_list_instances_(ll_engine *e, unsigned p,
                                     unsigned *tuple) {
    ll_engine_op *o = &e->op[p];
    o->first = e->instance_words;
    o->n = 0;
    const unsigned n = o->n_in + o->n_out;
    if (ll_engine_is_ordered_(o)) {
        ll_engine_list_orders_(e, o, tuple);
    } else if (o->kind == LL_ENGINE_DOT || ll_engine_is_placed_(o, 0) ||
               ll_engine_is_placed_(o, 1)) {
        ll_engine_list_places_(e, o, tuple);
    } else if (ll_engine_is_given_(o->kind)) {
        for (unsigned k = 0; k < n; ++k) {
            tuple[k] = e->fixed[o->at + k];
        }
        ll_engine_instance_(e, o, tuple);
    }
    for (unsigned slot = 0; slot < n && ll_engine_is_tied_(o); ++slot) {
        const ll_engine_value a = e->value[e->operand[o->at + slot]];
        for (unsigned k = 0; k < a.n && !e->err; ++k) {
            if (ll_engine_tuple_(e, o, slot, e->candidate[a.first + k],
                                 tuple)) {
                ll_engine_instance_(e, o, tuple);
            }
        }
    }
    if (o->kind == LL_ENGINE_GATHER || o->kind == LL_ENGINE_REORDER) {
        ll_engine_pairs_(e, o, tuple);
    }
    int free = 1;
    for (unsigned k = 0; k < n; ++k) {
        free = free && e->value[e->operand[o->at + k]].is_free;
    }
    if (o->n == 0 && !free && o->kind != LL_ENGINE_CONSTANT) {
        ll_engine_fail_(e, ll_engine_unfit_(e, o), p);
    } else if (o->n == 0 && free && ll_engine_is_end_(o)) {
        ll_engine_instance_(e, o, tuple); /* of constants alone */
    }
}

/* Private: finds the candidates of all values and the instances of all
 * operations. */
LL_FN void ll_engine_candidates_(ll_engine *e) {
    e->most = e->most ? e->most : 8u;
    e->most = e->most < LL_ENGINE_MOST ? e->most : LL_ENGINE_MOST;
    ll_engine_list_uses_(e);
    ll_engine_find_tiles_(e);
    ll_engine_find_free_(e);
    ll_engine_spread_(e);
    unsigned *tuple = ll_engine_take_word_(e, ll_engine_widest_op_(e));
    for (unsigned p = 0; p < e->ops && !e->err; ++p) {
        ll_engine_list_instances_(e, p, tuple);
    }
}

#endif /* LL_ENGINE */

/* ---- engine/price: Engine: prices ------------------------------------- */

#ifdef LL_ENGINE

/* Private: prices of accesses to global memory. They were fitted to 1,088
 * patterns on an H200: in L2 and in memory, with and without gaps. L1 serves an
 * instruction line by line and keeps the lines for the next instructions. So a
 * load takes each half-line once, in 1.5 cycles of an SM from L2 or 3.6 from
 * memory. Every store goes on to L2, which has more work if sectors are not
 * full. Cycles of contiguous accesses:
 *
 *     bytes per lane        4     8    16
 *     loads from L2       8.2   9.0  12.1
 *     loads from memory   9.1  14.4  29.1
 *     their price         5     9    17
 *     stores to L2        8.0  13.8  27.5
 *     stores to memory    9.2  15.1  30.1
 *     their price         7    13    25
 *
 * Prices are 0.34 to 2.6 times the measured cycles; rank correlations are 0.90
 * to 0.97. */
#define LL_ENGINE_ISSUE 8u      /* eighths of a cycle per instruction */
#define LL_ENGINE_HALF_LINE 12u /* per half-line that a warp loads */
#define LL_ENGINE_SECTOR 8u     /* per sector that an instruction stores */
#define LL_ENGINE_LINE 8u       /* per line that it stores */
#define LL_ENGINE_PART 16u      /* surcharge if its sectors are not full */
#define LL_ENGINE_AGAIN \
    1u                         /* surcharge per extra execution, so that
                                  repeating a free operation has a price */
#define LL_ENGINE_FAR 80000u   /* if the planner has no plan */

/* Private: returns the layout with the axes i, j, k. j is axis `axis` of value
 * v, i is all axes before it and k all axes after it. With v = 0 the only axis
 * is i. */
LL_FN ll_layout ll_engine_wide_(const ll_engine_flat *f, unsigned bits,
                                const ll_engine_value *v, unsigned axis) {
    const ll_dim names[] = {LL_REGISTER, LL_LANE, LL_WARP, LL_BLOCK};
    ll_shape in = LL_ZERO;
    ll_shape out = LL_ZERO;
    for (unsigned d = 0; d < 4u; ++d) {
        in = ll_shape_add_(in, names[d], f->n[d]);
    }
    if (v) {
        const unsigned low = ll_engine_low_(v, axis);
        out = ll_shape_add_(out, LL_K, low);
        out = ll_shape_add_(out, LL_J, v->size[axis]);
        bits -= low + v->size[axis];
    }
    out = ll_shape_add_(out, LL_I, bits);
    ll_layout a = ll_zero(in, out);
    for (unsigned k = 0; k < ll_flat_total_(f); ++k) {
        a.basis[k] = f->basis[k];
    }
    return a;
}

/* Private: returns the bits of an element, rounded up to what the planner
 * takes. */
LL_FN unsigned ll_engine_element_(unsigned bits) {
    unsigned to = 8;
    while (to < bits && to < 128u) {
        to *= 2u;
    }
    return to;
}

/* ll_engine_plan(e, a, b, bits, element_bits): returns the plan from layout
 * number a to layout number b of a tensor with 2^bits elements. Its only axis,
 * i, is the index. */
LL_FN ll_plan ll_engine_plan(const ll_engine *e, unsigned a, unsigned b,
                             unsigned bits, unsigned element_bits) {
    const ll_layout from = ll_engine_wide_(&e->flat[a], bits, 0, 0);
    const ll_layout to = ll_engine_wide_(&e->flat[b], bits, 0, 0);
    const unsigned size = ll_engine_element_(element_bits);
    return e->scratch ? ll_plan_within(from, to, size, e->target, e->scratch)
                      : ll_plan_of(from, to, size, e->target);
}

/* Private: returns the cost of a plan in eighths of a cycle; LL_ENGINE_MANY_ if
 * it needs more memory than allowed. */
LL_FN unsigned long long ll_engine_cycles_(unsigned err, unsigned cycles,
                                           int fits) {
    return err == LL_EBUDGET || !fits ? LL_ENGINE_MANY_
           : err                      ? LL_ENGINE_FAR
                                      : 8ull * cycles;
}

/* Private: returns whether `bytes` bytes of shared memory are allowed. */
LL_FN int ll_engine_has_room_(const ll_engine *e, unsigned bytes) {
    return !e->scratch || bytes <= e->scratch;
}

/* Private: returns the cost of `times` runs. */
LL_FN unsigned long long ll_engine_times_(unsigned long long cost,
                                          unsigned times) {
    return cost < LL_ENGINE_MANY_ ? cost * times : LL_ENGINE_MANY_;
}

/* Private: fills in the cost of a conversion. */
LL_FN void ll_engine_price_pair_(const ll_engine *e, ll_engine_pair_ *q) {
    const ll_plan p = ll_engine_plan(e, q->a, q->b, q->bits, q->element_bits);
    q->kind = p.err ? (unsigned)LL_ANY : p.kind;
    q->cost = ll_engine_cycles_(p.err, p.cycles, 1);
}

/* Private: returns the cached price of a conversion. In a constant the price is
 * filled in later. */
LL_FN const ll_engine_pair_ *ll_engine_convert_(ll_engine *e, unsigned a,
                                                unsigned b, unsigned bits,
                                                unsigned element_bits) {
    const unsigned size = ll_engine_element_(element_bits);
    unsigned hash = a * 0x9e3779b9u ^ b * 0x85ebca6bu ^ size;
    unsigned *head = &e->heads[1][(hash ^ hash >> 15) % LL_ENGINE_HEADS_];
    for (unsigned k = *head; k < e->pairs; k = e->pair[k].next) {
        const ll_engine_pair_ *p = &e->pair[k];
        if (p->a == a && p->b == b && p->element_bits == size) {
            return p;
        }
    }
    e->pair = ll_engine_room_pair_(e, e->pair, e->pairs + 1u, &e->cap_pairs);
    if (e->err) {
        return 0;
    }
    ll_engine_pair_ *q = &e->pair[e->pairs];
    q->a = a;
    q->b = b;
    q->bits = bits;
    q->element_bits = size;
    q->next = *head;
    *head = e->pairs;
    if (!e->pool) {
        ll_engine_price_pair_(e, q);
    } else if (e->priced) {
        ll_engine_fail_(e, LL_ENGINE_EARENA, LL_ENGINE_NONE);
    }
    return &e->pair[e->pairs++];
}

/* Private: returns 2^n. */
LL_FN unsigned long long ll_engine_two_(unsigned n) {
    return 1ull << (n < 40u ? n : 40u);
}

/* Private: returns the axis along which memory is contiguous: the one with the
 * longest runs. */
LL_FN unsigned ll_engine_fast_(const ll_engine_op *o,
                               const ll_engine_value *v) {
    unsigned axis = v->rank ? v->rank - 1u : 0u;
    for (unsigned k = axis; k-- > 0;) {
        axis = o->contiguous[k] > o->contiguous[axis] ? k : axis;
    }
    return axis;
}

/* Private: returns how many different units of 2^unit bytes the lanes of a warp
 * touch, each with the elements of the columns `registers`. Memory is
 * contiguous along one axis. Where its runs span that axis, memory continues
 * along the last of the other axes, and so on. Unit 0 counts the bytes of the
 * elements. */
LL_FN unsigned long long ll_engine_touched_(const ll_engine *e,
                                            const ll_engine_op *o,
                                            const ll_engine_value *v,
                                            const ll_engine_flat *f,
                                            const ll_span_ *registers,
                                            unsigned unit) {
    const unsigned fast = ll_engine_fast_(o, v);
    unsigned mask = ll_ones_(v->bits);
    unsigned bytes = 0;
    while ((8u << bytes) < v->element_bits) {
        ++bytes;
    }
    unsigned inside = unit > bytes ? unit - bytes : 0u;
    for (unsigned n = v->rank; n-- > 0;) {
        const unsigned k = n + 1u == v->rank ? fast : n + (n >= fast);
        const unsigned low = ll_engine_low_(v, k);
        unsigned near = o->contiguous[k] < inside ? o->contiguous[k] : inside;
        near = near < v->size[k] ? near : v->size[k];
        const unsigned same = o->same[k] < v->size[k] ? o->same[k] : v->size[k];
        const unsigned gone = near > same ? near : same;
        mask &= ~(ll_ones_(gone) << low);
        inside = near == v->size[k] ? inside - near : 0u;
    }
    ll_span_ reduced = LL_ZERO;
    for (unsigned k = 0; k < e->counts[1]; ++k) {
        ll_span_extend_(&reduced, f->basis[f->n[0] + k] & mask);
    }
    for (unsigned k = 0; k < registers->n; ++k) {
        ll_span_extend_(&reduced, registers->v[k] & mask);
    }
    return ll_engine_two_(reduced.n + (unit ? 0u : bytes));
}

/* Private: returns the register columns that one instruction moves: neighbours
 * along the contiguous axis, at most 16 bytes, aligned. */
LL_FN ll_span_ ll_engine_vector_(const ll_engine_op *o,
                                 const ll_engine_value *v,
                                 const ll_engine_flat *f) {
    ll_span_ vector = LL_ZERO;
    if (v->rank == 0) {
        return vector;
    }
    const unsigned axis = ll_engine_fast_(o, v);
    const unsigned low = ll_engine_low_(v, axis);
    const unsigned bytes = (v->element_bits + 7u) / 8u;
    unsigned others = 0;
    for (unsigned n = 0; n < o->contiguous[axis] && n < v->size[axis]; ++n) {
        const unsigned want = 1u << (low + n);
        unsigned found = 0;
        others = 0;
        for (unsigned k = 0; k < ll_flat_total_(f); ++k) {
            found |= k < f->n[0] && f->basis[k] == want;
            others += (f->basis[k] & want) != 0;
        }
        if (!found || others != 1u || (bytes << (n + 1u)) > 16u ||
            (o->align && (bytes << (n + 1u)) > o->align)) {
            break;
        }
        ll_span_push_(&vector, want);
    }
    return vector;
}

/* ll_engine_access(e, op, v, id): returns the cost of an access to global
 * memory if its value v has layout `id`, in eighths of a cycle. Each
 * instruction of a warp costs a wavefront per line that it touches, or per 128
 * bytes that its lanes have, whichever is more. A load also costs the
 * half-lines that all its instructions touch together, a store the sectors and
 * the lines of each instruction. */
LL_FN unsigned long long ll_engine_access(const ll_engine *e, unsigned op,
                                          unsigned v, unsigned id) {
    const ll_engine_op *o = &e->op[op];
    const ll_engine_value *a = &e->value[v];
    const ll_engine_flat *f = &e->flat[id];
    const ll_span_ vector = ll_engine_vector_(o, a, f);
    const unsigned long long times = ll_engine_two_(f->n[0] - vector.n);
    const unsigned long long bytes =
        (ll_engine_two_(vector.n + e->counts[1]) * a->element_bits + 7u) / 8u;
    const unsigned long long full = (bytes + 127u) / 128u;
    const unsigned long long lines =
        ll_engine_touched_(e, o, a, f, &vector, 7);
    const unsigned long long each =
        LL_ENGINE_ISSUE +
        (full > lines ? full : lines) * e->target.cost[LL_COST_MEMORY];
    if (o->kind == LL_ENGINE_LOAD) {
        ll_span_ all = vector;
        for (unsigned k = 0; k < f->n[0]; ++k) {
            ll_span_extend_(&all, f->basis[k]);
        }
        return times * each +
               ll_engine_touched_(e, o, a, f, &all, 6) * LL_ENGINE_HALF_LINE;
    }
    const unsigned long long sectors =
        ll_engine_touched_(e, o, a, f, &vector, 5);
    const int part = 32u * sectors > ll_engine_touched_(e, o, a, f, &vector, 0);
    return times * (each + sectors * LL_ENGINE_SECTOR +
                    lines * (LL_ENGINE_LINE + (part ? LL_ENGINE_PART : 0u)));
}

/* Private: returns the cost of moving a tile between registers of layout `id`
 * and shared memory of layout `memory`, as the planner counts it: the
 * wavefronts of each access, which is as wide as both layouts allow. */
LL_FN unsigned long long ll_engine_tile_(const ll_engine *e, unsigned memory,
                                         unsigned op, unsigned v,
                                         unsigned id) {
    const unsigned bits = e->value[v].bits;
    const unsigned size = ll_engine_element_(e->value[v].element_bits);
    const ll_shape none = LL_ZERO;
    const ll_layout a = ll_engine_wide_(&e->flat[id], bits, 0, 0);
    ll_layout m = ll_zero(ll_shape_add_(none, LL_OFFSET, bits), a.out);
    for (unsigned k = 0; k < bits; ++k) {
        m.basis[k] = e->flat[memory].basis[k];
    }
    const unsigned bytes = ll_widest(a, m, size, 16);
    const unsigned waves = ll_wavefronts(a, m, size, bytes, op, e->target);
    return waves ? ll_engine_two_(e->flat[id].n[0]) * (size / 8u) / bytes *
                       waves * e->target.cost[LL_COST_MEMORY]
                 : LL_ENGINE_FAR;
}

/* Private: returns the cost of bringing operand k of a dot, in layout `id`, to
 * where the instructions read it. It is 0 if the operand is there; otherwise
 * the stores to shared memory and a barrier. The stores run each time the
 * operand is made, so each run of the dot pays its share. */
LL_FN unsigned long long ll_engine_stores_(const ll_engine *e,
                                           const ll_engine_op *o, unsigned k,
                                           unsigned id) {
    const unsigned v = e->operand[o->at + k];
    unsigned long long least = LL_ENGINE_MANY_;
    if (!ll_engine_is_placed_(o, k) || id >= e->flats || e->value[v].is_free ||
        id == o->in_place[k] || id == o->place[k][2] || o->shares[k]) {
        return 0;
    }
    for (unsigned t = 0; t < 2u; ++t) {
        const unsigned long long cost =
            o->place[k][t] == LL_ENGINE_NONE
                ? least
                : ll_engine_tile_(e, o->place[k][t], LL_WRITE, v, id) +
                      e->target.cost[LL_COST_BLOCK];
        least = cost < least ? cost : least;
    }
    return e->value[v].weight < o->weight
               ? (least * e->value[v].weight + o->weight - 1u) / o->weight
               : least;
}

/* Private: returns the 32-bit words of an element, for arithmetic. */
LL_FN unsigned ll_engine_words_(const ll_engine_value *v) {
    return v->element_bits > 32u ? (v->element_bits + 31u) / 32u : 1u;
}

/* Private: returns the price of a reduction, scan or sort, over all
 * operands. */
LL_FN unsigned long long ll_engine_along_(const ll_engine *e,
                                          const ll_engine_op *o, unsigned id) {
    unsigned long long sum = 0;
    for (unsigned k = 0; k < o->n_in; ++k) {
        const ll_engine_value *v = &e->value[e->operand[o->at + k]];
        const ll_layout a = ll_engine_wide_(&e->flat[id], v->bits, v, o->axis);
        const unsigned size = ll_engine_element_(v->element_bits);
        unsigned err = 0;
        unsigned cycles = 0;
        unsigned bytes = 0;
        if (o->kind == LL_ENGINE_SORT) {
            cycles = e->sort(a, LL_J, size, e->target, &bytes);
            err = cycles == ~0u;
        } else if (o->kind == LL_ENGINE_REDUCE) {
            const ll_reduce_plan p = ll_reduce_of(a, LL_J, size, e->target);
            err = p.err;
            cycles = p.cycles;
            bytes = p.smem_bytes;
        } else {
            const ll_scan_plan p = ll_scan_of(a, LL_J, size, e->target);
            err = p.err;
            cycles = p.cycles;
            bytes = p.smem_bytes;
        }
        sum += ll_engine_cycles_(err, cycles, ll_engine_has_room_(e, bytes));
    }
    return sum < LL_ENGINE_MANY_ ? sum : LL_ENGINE_MANY_;
}

/* Private: returns the price of a gather. */
LL_FN unsigned long long ll_engine_gathers_(const ll_engine *e,
                                            const ll_engine_op *o, unsigned src,
                                            unsigned index) {
    const ll_engine_value *a = &e->value[e->operand[o->at]];
    const ll_engine_value *b = &e->value[e->operand[o->at + 1u]];
    const ll_gather_plan p =
        ll_gather_of(ll_engine_wide_(&e->flat[src], a->bits, a, o->axis),
                     ll_engine_wide_(&e->flat[index], b->bits, b, o->axis),
                     LL_J, ll_engine_element_(a->element_bits), e->target);
    return ll_engine_cycles_(p.err, p.cycles,
                             ll_engine_has_room_(e, p.smem_bytes));
}

/* Private: returns the operand that a store or an atomic operation writes: the
 * one after the addresses, or the first one if there are none. */
LL_FN unsigned ll_engine_written_(const ll_engine *e, const ll_engine_op *o) {
    const unsigned *v = e->operand + o->at;
    const int is_masked = o->n_in == 2u &&
                          e->value[v[1]].element_bits == 1u &&
                          e->value[v[0]].element_bits != 64u;
    return o->n_in > 1u && !is_masked ? 1u : 0u;
}

/* ll_engine_price(e, op, tuple): returns the cost of one execution of an
 * operation, in eighths of a cycle. tuple: the numbers of the layouts of its
 * operands and results. */
LL_FN unsigned long long ll_engine_price(const ll_engine *e, unsigned op,
                                         const unsigned *tuple) {
    const ll_engine_op *o = &e->op[op];
    const unsigned n = o->n_in + o->n_out;
    const unsigned last = n ? n - 1u : 0u;
    const unsigned logic = e->target.cost[LL_COST_LOGIC];
    if (n == 0 || tuple[last] == LL_ENGINE_NONE) {
        return 0;
    }
    const ll_engine_value *v = &e->value[e->operand[o->at + last]];
    const unsigned long long each = ll_engine_two_(e->flat[tuple[last]].n[0]) *
                                    o->cost * ll_engine_words_(v) * logic / 8u;
    switch (o->kind) {
    case LL_ENGINE_LOAD:
        return each +
               ll_engine_access(e, op, e->operand[o->at + last], tuple[last]);
    case LL_ENGINE_STORE:
    case LL_ENGINE_ATOMIC: {
        const unsigned at = ll_engine_written_(e, o);
        return each +
               ll_engine_access(e, op, e->operand[o->at + at], tuple[at]);
    }
    case LL_ENGINE_REDUCE:
    case LL_ENGINE_SCAN:
    case LL_ENGINE_SORT:
        return ll_engine_along_(e, o, tuple[0]);
    case LL_ENGINE_GATHER:
        return ll_engine_gathers_(e, o, tuple[0], tuple[1]);
    case LL_ENGINE_LOCAL_LOAD:
    case LL_ENGINE_LOCAL_STORE:
    case LL_ENGINE_TMA_LOAD:
    case LL_ENGINE_TMA_STORE:
        return each + ll_engine_tile_(e, o->memory,
                                      o->n_out ? LL_READ : LL_WRITE,
                                      e->operand[o->at], tuple[0]);
    case LL_ENGINE_DOT:
    case LL_ENGINE_DOT_SCALED:
        return each + ll_engine_stores_(e, o, 0, tuple[0]) +
               ll_engine_stores_(e, o, 1, tuple[1]);
    default:
        return each;
    }
}

/* Private: returns the layout of a free operand k, which follows from the other
 * layouts by the rule of the operation. */
LL_FN unsigned ll_engine_free_one_(ll_engine *e, const ll_engine_op *o,
                                   unsigned k, const unsigned *tuple) {
    const ll_engine_link_ l = ll_engine_link_of_(e, o);
    unsigned found = LL_ENGINE_NONE;
    for (unsigned side = 0; side < 2u; ++side) {
        for (unsigned j = 0; j < o->n_in + o->n_out; ++j) {
            const int big = ll_engine_is_big_(o, &l, j);
            if (found == LL_ENGINE_NONE && tuple[j] != LL_ENGINE_NONE &&
                (big == ll_engine_is_big_(o, &l, k)) == !side) {
                found =
                    side ? ll_engine_across_(e, &l, tuple[j], big) : tuple[j];
            }
        }
    }
    return found;
}

/* Private: chooses the layout in which constants are stored: the fixed layout,
 * or the one with the cheapest access. All operands get it. */
LL_FN void ll_engine_ends_in_(ll_engine *e, unsigned op, unsigned *tuple) {
    const ll_engine_op o = e->op[op];
    const unsigned v = e->operand[o.at + ll_engine_written_(e, &o)];
    const ll_engine_value a = e->value[v];
    unsigned long long least = ~0ull;
    unsigned best = LL_ENGINE_NONE;
    for (unsigned k = 0; k < o.n_in; ++k) {
        best = e->fixed[o.at + k] != LL_ENGINE_NONE ? e->fixed[o.at + k] : best;
    }
    const unsigned some = best == LL_ENGINE_NONE;
    for (unsigned n = 0; some && n < 5u * (a.rank + !a.rank); ++n) {
        const unsigned axis = a.rank ? n / 5u : 0u;
        const unsigned id =
            ll_engine_enter_(e, ll_engine_rows_(e, &a, axis, n % 5u));
        for (unsigned k = 0; k < o.n_in; ++k) {
            tuple[k] = id;
        }
        const unsigned long long cost =
            id == LL_ENGINE_NONE ? ~0ull : ll_engine_price(e, op, tuple);
        best = cost < least && ll_engine_holds_(e, v, id) ? id : best;
        least = best == id ? cost : least;
    }
    if (best == LL_ENGINE_NONE) {
        ll_engine_fail_(e, LL_ENGINE_EREGISTERS, op);
    }
    for (unsigned k = 0; k < o.n_in; ++k) {
        tuple[k] = best;
    }
}

/* Private: writes the numbers of the layouts of an instance to tuple. */
LL_FN void ll_engine_numbers_(ll_engine *e, unsigned op, unsigned t,
                              unsigned *tuple) {
    const ll_engine_op *o = &e->op[op];
    const unsigned n = o->n_in + o->n_out;
    const unsigned *from = e->instance + o->first + t * n;
    for (unsigned k = 0; k < n; ++k) {
        const ll_engine_value *v = &e->value[e->operand[o->at + k]];
        tuple[k] =
            from[k] != LL_ENGINE_NONE ? e->candidate[v->first + from[k]]
            : ll_engine_is_placed_(o, k) ? ll_engine_choice_(e, o, k, 0)
            : ll_engine_is_given_(o->kind) || o->kind == LL_ENGINE_DOT
                ? e->fixed[o->at + k]
                : LL_ENGINE_NONE;
    }
    for (unsigned k = 0; k < 2u && ll_engine_is_ordered_(o); ++k) {
        ll_engine_turn_ turn = LL_ZERO;
        if (from[k] == LL_ENGINE_NONE && from[!k] != LL_ENGINE_NONE &&
            ll_engine_turn_of_(e, o, !k, tuple[!k], &turn)) {
            tuple[k] = ll_engine_turned_(e, o, k, &turn);
        }
    }
    for (unsigned k = 0; k < n; ++k) {
        if (tuple[k] == LL_ENGINE_NONE && ll_engine_is_tied_(o)) {
            tuple[k] = ll_engine_free_one_(e, o, k, tuple);
        } else if (tuple[k] == LL_ENGINE_NONE && n > 1u) {
            tuple[k] = tuple[n - 1u];
        }
    }
    if (n && tuple[0] == LL_ENGINE_NONE && ll_engine_is_end_(o)) {
        ll_engine_ends_in_(e, op, tuple);
    }
}

/* Private: returns the surcharge for executing an operation once more. */
LL_FN unsigned ll_engine_again_(const ll_engine_op *o) {
    return o->kind == LL_ENGINE_CARRY ? 0u : LL_ENGINE_AGAIN * o->weight;
}

/* Private: returns whether the price of an operation is the cost of its own
 * plan. */
LL_FN int ll_engine_is_planned_(unsigned kind) {
    return kind == LL_ENGINE_REDUCE || kind == LL_ENGINE_SCAN ||
           kind == LL_ENGINE_SORT || kind == LL_ENGINE_GATHER;
}

/* Private: notes that the next instance is to be priced later. */
LL_FN void ll_engine_later_(ll_engine *e, unsigned op, const unsigned *tuple) {
    e->job = ll_engine_room_word_(e, e->job, 4u * e->jobs + 4u, &e->cap_job);
    if (!e->err) {
        e->job[4u * e->jobs] = e->instances;
        e->job[4u * e->jobs + 1u] = op;
        e->job[4u * e->jobs + 2u] = tuple[0];
        e->job[4u * e->jobs + 3u] = tuple[1];
        ++e->jobs;
    }
}

/* Private: prices all instances, times the trips of their loops. In a constant,
 * the instances with plans are priced later. */
LL_FN void ll_engine_prices_(ll_engine *e) {
    unsigned total = 0;
    for (unsigned p = 0; p < e->ops; ++p) {
        total += e->op[p].n;
    }
    unsigned *tuple = ll_engine_take_word_(e, ll_engine_widest_op_(e));
    e->price = ll_engine_take_wide_(e, total + 1u);
    e->instances = 0;
    for (unsigned p = 0; p < e->ops && !e->err; ++p) {
        e->op[p].price = e->instances;
        for (unsigned t = 0; t < e->op[p].n && !e->err; ++t) {
            ll_engine_numbers_(e, p, t, tuple);
            if (!e->err && e->pool && ll_engine_is_planned_(e->op[p].kind)) {
                ll_engine_later_(e, p, tuple);
            } else if (!e->err) {
                e->price[e->instances] = ll_engine_times_(
                    ll_engine_price(e, p, tuple), e->op[p].weight);
            }
            ++e->instances;
        }
    }
}

#endif /* LL_ENGINE */

/* ---- engine/model: Engine: the model ---------------------------------- */

/* The unknowns are, for each operation, the set of instances in which it is
 * executed and, for each value with several users, the set of layouts in which
 * they need it. An operation may be executed in up to three instances. More
 * than one is rematerialisation: a cheap chain is computed again instead of
 * converted. A label is a possible set.
 *
 * Costs are functions of one or two unknowns. Labels that another label always
 * beats are dropped. Then the unknowns are eliminated one after another: one
 * function of its neighbours, the minimum over its labels, replaces all
 * functions of an unknown. What remains is the lowest cost. If a function would
 * get too large, it is cut into several. The sum of their minima is then a
 * lower bound, and a search guided by the bounds finds the best assignment. */
#ifdef LL_ENGINE

/* Private: returns the result of the solver; 0 before it ran. */
LL_FN ll_engine_solution_ *ll_engine_found_(const ll_engine *e) {
    return e->found;
}

LL_FN unsigned long long ll_engine_plus_(unsigned long long a,
                                         unsigned long long b) {
    return a + b < LL_ENGINE_MANY_ ? a + b : LL_ENGINE_MANY_;
}

/* Private: returns instance k of a label of an operation; LL_ENGINE_NONE if it
 * has no more. */
LL_FN unsigned ll_engine_of_label_(unsigned label, unsigned k) {
    const unsigned at = k < 3u ? label >> 10u * k & 1023u : 0u;
    return k ? at - 1u : at; /* 0 - 1 is LL_ENGINE_NONE */
}

/* Private: returns the candidates of operand `slot` under a label. */
LL_FN unsigned ll_engine_mask_(const ll_engine *e, unsigned op, unsigned slot,
                               unsigned label) {
    const ll_engine_op *o = &e->op[op];
    const unsigned n = o->n_in + o->n_out;
    unsigned mask = 0;
    for (unsigned k = 0; ll_engine_of_label_(label, k) != LL_ENGINE_NONE; ++k) {
        const unsigned at =
            e->instance[o->first + ll_engine_of_label_(label, k) * n + slot];
        mask |= at == LL_ENGINE_NONE ? 0u : 1u << at;
    }
    return mask;
}

/* Private: returns the candidates in which an operation uses a value. */
LL_FN unsigned ll_engine_needs_(const ll_engine *e, unsigned op, unsigned v,
                                unsigned label) {
    const ll_engine_op *o = &e->op[op];
    unsigned mask = 0;
    for (unsigned k = 0; k < o->n_in; ++k) {
        mask |=
            e->operand[o->at + k] == v ? ll_engine_mask_(e, op, k, label) : 0u;
    }
    return mask;
}

/* Private: returns the candidates in which an operation makes a value. */
LL_FN unsigned ll_engine_makes_(const ll_engine *e, unsigned op, unsigned v,
                                unsigned label) {
    const ll_engine_op *o = &e->op[op];
    unsigned mask = 0;
    for (unsigned k = o->n_in; k < o->n_in + o->n_out; ++k) {
        mask |=
            e->operand[o->at + k] == v ? ll_engine_mask_(e, op, k, label) : 0u;
    }
    return mask;
}

/* Private: the costs of conversions between the candidates of a value, over all
 * their runs. They are computed when they are first asked for. */
typedef struct ll_engine_costs_ {
    ll_engine *e;
    unsigned v, n;
    unsigned long long *known; /* cost + 1, by from * n + to; 0: not yet */
} ll_engine_costs_;

LL_FN ll_engine_costs_ ll_engine_costs_of_(ll_engine *e, unsigned v) {
    ll_engine_costs_ c = {e, v, e->value[v].n, 0};
    c.known = ll_engine_take_wide_(e, (unsigned long long)c.n * c.n);
    return c;
}

LL_FN unsigned long long ll_engine_cost_at_(const ll_engine_costs_ *c,
                                            unsigned from, unsigned to) {
    unsigned long long *known = &c->known[from * c->n + to];
    if (!*known) {
        const ll_engine_value a = c->e->value[c->v];
        const ll_engine_pair_ *p = ll_engine_convert_(
            c->e, c->e->candidate[a.first + from],
            c->e->candidate[a.first + to], a.bits, a.element_bits);
        *known =
            (p ? ll_engine_times_(p->cost, a.weight) : LL_ENGINE_MANY_) + 1u;
    }
    return *known - 1u;
}

/* Private: returns the cost of the cheapest conversion to candidate `to` from
 * one of `held`, and sets *from to that one. */
LL_FN unsigned long long ll_engine_nearest_(const ll_engine_costs_ *c,
                                            unsigned held, unsigned to,
                                            unsigned *from) {
    unsigned long long best = LL_ENGINE_MANY_;
    for (unsigned k = 0; held >> k; ++k) {
        const unsigned long long cost =
            held >> k & 1u ? ll_engine_cost_at_(c, k, to) : best;
        if (cost < best) {
            best = cost;
            *from = k;
        }
    }
    return best;
}

/* Private: at most this many missing layouts of a value are put into the
 * cheapest order, and at most this many wanted layouts are combined in all
 * ways. */
#define LL_ENGINE_LACKS_ 6u

/* Private: the order of conversions: the candidates that they make. */
typedef struct ll_engine_order_ {
    unsigned n;
    unsigned char at[LL_ENGINE_MOST];
} ll_engine_order_;

/* Private: puts the layouts that a value lacks into `order`. */
LL_FN void ll_engine_lacks_(unsigned made, unsigned need,
                            ll_engine_order_ *order) {
    order->n = 0;
    for (unsigned k = 0; (need & ~made) >> k; ++k) {
        if ((need & ~made) >> k & 1u) {
            order->at[order->n] = (unsigned char)k;
            ++order->n;
        }
    }
}

/* Private: puts up to LL_ENGINE_LACKS_ missing layouts into the cheapest order,
 * and returns the cost of the conversions. least[s]: cost of holding the set s
 * of them. last[s]: the layout of s that is made last. */
LL_FN unsigned long long ll_engine_best_order_(const ll_engine_costs_ *c,
                                               unsigned made,
                                               ll_engine_order_ *order) {
    unsigned long long least[1u << LL_ENGINE_LACKS_] = LL_ZERO;
    unsigned held[1u << LL_ENGINE_LACKS_] = LL_ZERO;
    unsigned char last[1u << LL_ENGINE_LACKS_] = LL_ZERO;
    const ll_engine_order_ miss = *order;
    const unsigned all = (1u << miss.n) - 1u;
    held[0] = made;
    for (unsigned s = 1; s <= all; ++s) {
        least[s] = LL_ENGINE_MANY_;
        for (unsigned k = 0; k < miss.n; ++k) {
            const unsigned before = s & ~(1u << k);
            unsigned from = 0;
            if (before == s || least[before] >= least[s]) {
                continue;
            }
            held[s] = held[before] | 1u << miss.at[k];
            const unsigned long long sum = ll_engine_plus_(
                least[before],
                ll_engine_nearest_(c, held[before], miss.at[k], &from));
            last[s] = sum < least[s] ? (unsigned char)k : last[s];
            least[s] = sum < least[s] ? sum : least[s];
        }
    }
    unsigned s = all;
    for (unsigned n = miss.n; n-- > 0; s &= ~(1u << last[s])) {
        order->at[n] = miss.at[last[s]];
    }
    return least[all];
}

/* Private: returns the cost of holding a value in the layouts `need` if it is
 * made in the layouts `made`. Each conversion starts from a layout that is
 * there already. They are in the cheapest order or, if there are many, in the
 * candidates' order. */
LL_FN unsigned long long ll_engine_spread_cost_(const ll_engine_costs_ *c,
                                                unsigned made, unsigned need,
                                                ll_engine_order_ *order) {
    unsigned long long sum = 0;
    unsigned from = 0;
    ll_engine_lacks_(made, need, order);
    if (order->n > 1u && order->n <= LL_ENGINE_LACKS_) {
        return ll_engine_best_order_(c, made, order);
    }
    for (unsigned k = 0; k < order->n; ++k) {
        sum = ll_engine_plus_(
            sum, ll_engine_nearest_(c, made, order->at[k], &from));
        made |= 1u << order->at[k];
    }
    return sum;
}

/* Private: appends a label to the last unknown. */
LL_FN void ll_engine_label_(ll_engine *e, ll_engine_solution_ *s,
                            unsigned label) {
    s->label = ll_engine_room_word_(e, s->label, s->labels + 1u, &s->cap_label);
    if (!e->err) {
        s->label[s->labels] = label;
        ++s->labels;
        ++s->var[s->vars - 1u].n;
    }
}

LL_FN unsigned ll_engine_var_new_(ll_engine *e, ll_engine_solution_ *s,
                                  unsigned is_value, unsigned of) {
    s->var = ll_engine_room_var_(e, s->var, s->vars + 1u, &s->cap_var);
    if (e->err) {
        return LL_ENGINE_NONE;
    }
    ll_engine_var_ *x = &s->var[s->vars];
    x->is_value = is_value;
    x->of = of;
    x->first = s->labels;
    x->list = LL_ENGINE_NONE;
    return s->vars++;
}

/* Private: adds the unknown of an operation. Its labels are all instances, all
 * pairs if it may be executed twice, and all triples if it is light. */
LL_FN void ll_engine_op_var_(ll_engine *e, ll_engine_solution_ *s,
                             unsigned op) {
    const ll_engine_op *o = &e->op[op];
    if (o->n == 0) {
        return;
    }
    const unsigned sets = o->alone                    ? 1u
                          : o->is_light && o->n < 10u ? e->sets
                          : e->sets < 2u              ? e->sets
                                                      : 2u;
    s->op_var[op] = ll_engine_var_new_(e, s, 0, op);
    for (unsigned a = 0; a < o->n && !e->err; ++a) {
        ll_engine_label_(e, s, a);
    }
    for (unsigned a = 0; a < o->n && sets > 1u; ++a) {
        for (unsigned b = a + 1u; b < o->n && !e->err; ++b) {
            ll_engine_label_(e, s, a | (b + 1u) << 10);
            for (unsigned c = b + 1u; c < o->n && sets > 2u; ++c) {
                ll_engine_label_(e, s, a | (b + 1u) << 10 | (c + 1u) << 20);
            }
        }
    }
}

/* Private: lists the distinct operations that use value v, at most `most` of
 * them. Returns the number of all. */
LL_FN unsigned ll_engine_users_(const ll_engine *e, unsigned v, unsigned most,
                                unsigned *list) {
    unsigned n = 0;
    for (unsigned k = 0; k < e->value[v].uses; ++k) {
        const unsigned op = e->use[e->value[v].use + k];
        if (k == 0 || e->use[e->value[v].use + k - 1u] != op) {
            if (n < most) {
                list[n] = op;
            }
            ++n;
        }
    }
    return n;
}

/* Private: returns the layouts of v that any label of an operation needs; with
 * `all`, the layouts that every label needs. */
LL_FN unsigned ll_engine_wanted_(const ll_engine *e,
                                 const ll_engine_solution_ *s, unsigned op,
                                 unsigned v, int all) {
    const ll_engine_var_ *x = &s->var[s->op_var[op]];
    unsigned any = 0;
    unsigned each = ~0u;
    for (unsigned k = 0; k < x->n; ++k) {
        const unsigned m = ll_engine_needs_(e, op, v, s->label[x->first + k]);
        any |= m;
        each &= m;
    }
    return all ? each : any;
}

/* Private: returns a set of layouts of v that contains `held` and serves all
 * users. Each user takes the label that needs the fewest further layouts. */
LL_FN unsigned ll_engine_serves_(const ll_engine *e,
                                 const ll_engine_solution_ *s, unsigned v,
                                 unsigned held) {
    for (unsigned k = 0; k < e->value[v].uses; ++k) {
        const unsigned op = e->use[e->value[v].use + k];
        const ll_engine_var_ *x = &s->var[s->op_var[op]];
        unsigned best = ~0u;
        for (unsigned t = 0; t < x->n; ++t) {
            const unsigned more =
                ll_engine_needs_(e, op, v, s->label[x->first + t]) & ~held;
            best = best == ~0u || ll_popcount_(more) < ll_popcount_(best) ? more
                                                                    : best;
        }
        held |= best;
    }
    return held;
}

/* Private: adds the unknown of a value with several users. Its labels are all
 * sets of layouts that they may need. If there are more than LL_ENGINE_LACKS_
 * layouts, they are the sets of up to three (up to two for more than nine
 * layouts), and one set that serves all users. */
LL_FN void ll_engine_value_var_(ll_engine *e, ll_engine_solution_ *s,
                                unsigned v) {
    unsigned want = 0;
    unsigned must = 0;
    for (unsigned k = 0; k < e->value[v].uses; ++k) {
        const unsigned op = e->use[e->value[v].use + k];
        want |= ll_engine_wanted_(e, s, op, v, 0);
        must |= ll_engine_wanted_(e, s, op, v, 1);
    }
    s->value_var[v] = ll_engine_var_new_(e, s, 1, v);
    const unsigned few = ll_popcount_(want) > 9u ? 2u : 3u;
    const unsigned most = ll_popcount_(want) <= LL_ENGINE_LACKS_
                              ? ll_popcount_(want)
                          : ll_popcount_(must) > few ? ll_popcount_(must)
                                                     : few;
    const unsigned serves = ll_engine_serves_(e, s, v, must);
    if (ll_popcount_(serves) > most) {
        ll_engine_label_(e, s, serves);
    }
    /* all subsets of `want`, from the largest down */
    for (unsigned m = want; !e->err; m = (m - 1u) & want) {
        if (m && ll_popcount_(m) <= most && (m & must) == must) {
            ll_engine_label_(e, s, m);
        }
        if (m == 0) {
            break;
        }
    }
}

/* Private: appends a function of n unknowns. The caller fills in its table. */
LL_FN unsigned ll_engine_fn_new_(ll_engine *e, ll_engine_solution_ *s,
                                 unsigned n, const unsigned *vars) {
    unsigned long long size = 1;
    s->fn = ll_engine_room_fn_(e, s->fn, s->fns + 1u, &s->cap_fn);
    s->scope = ll_engine_room_word_(e, s->scope, s->scopes + n, &s->cap_scope);
    s->node = ll_engine_room_word_(e, s->node, s->nodes + 2u * n, &s->cap_node);
    for (unsigned k = 0; k < n && !e->err; ++k) {
        size *= s->var[vars[k]].n;
    }
    unsigned long long *table = ll_engine_take_wide_(e, size);
    if (e->err) {
        return LL_ENGINE_NONE;
    }
    s->widest = size > s->widest ? size : s->widest;
    ll_engine_fn_ *f = &s->fn[s->fns];
    f->n = n;
    f->at = s->scopes;
    f->bucket = f->from = LL_ENGINE_NONE;
    f->table = table;
    for (unsigned k = 0; k < n; ++k) {
        s->scope[s->scopes + k] = vars[k];
        s->node[s->nodes] = s->fns;
        s->node[s->nodes + 1u] = s->var[vars[k]].list;
        s->var[vars[k]].list = s->nodes;
        s->nodes += 2u;
    }
    s->scopes += n;
    return s->fns++;
}

/* Private: adds the cost of an operation itself under each label. */
LL_FN void ll_engine_own_cost_(ll_engine *e, ll_engine_solution_ *s,
                               unsigned x) {
    const ll_engine_op *o = &e->op[s->var[x].of];
    const unsigned f = ll_engine_fn_new_(e, s, 1, &x);
    for (unsigned k = 0; k < s->var[x].n && !e->err; ++k) {
        const unsigned label = s->label[s->var[x].first + k];
        for (unsigned t = 0; ll_engine_of_label_(label, t) != LL_ENGINE_NONE;
             ++t) {
            s->fn[f].table[k] = ll_engine_plus_(
                s->fn[f].table[k],
                e->price[o->price + ll_engine_of_label_(label, t)] +
                    (t ? ll_engine_again_(o) : 0u));
        }
    }
}

/* Private: adds the cost of the conversions of value v: a function of the
 * operation that makes it and of the unknown `y` that needs it. */
LL_FN void ll_engine_moves_cost_(ll_engine *e, ll_engine_solution_ *s,
                                 unsigned v, unsigned y) {
    const unsigned def = e->value[v].def;
    const unsigned x = s->op_var[def];
    const unsigned vars[2] = {x, y};
    const unsigned n = s->var[x].n;
    ll_engine_order_ order = LL_ZERO;
    const ll_engine_costs_ costs = ll_engine_costs_of_(e, v);
    unsigned *made = ll_engine_take_word_(e, n);
    const unsigned f = ll_engine_fn_new_(e, s, 2, vars);
    for (unsigned a = 0; a < n && !e->err; ++a) {
        made[a] = ll_engine_makes_(e, def, v, s->label[s->var[x].first + a]);
    }
    for (unsigned b = 0; b < s->var[y].n && !e->err; ++b) {
        const unsigned want = s->label[s->var[y].first + b];
        const unsigned need = s->var[y].is_value
                                  ? want
                                  : ll_engine_needs_(e, s->var[y].of, v, want);
        for (unsigned a = 0; a < n; ++a) {
            s->fn[f].table[b * n + a] =
                need & ~made[a]
                    ? ll_engine_spread_cost_(&costs, made[a], need, &order)
                    : 0u;
        }
    }
}

/* Private: rules out that a user needs a layout in which a value is not
 * held. */
LL_FN void ll_engine_rule_out_(ll_engine *e, ll_engine_solution_ *s, unsigned v,
                               unsigned user) {
    const unsigned x = s->op_var[user];
    const unsigned y = s->value_var[v];
    const unsigned vars[2] = {x, y};
    const unsigned f = ll_engine_fn_new_(e, s, 2, vars);
    for (unsigned b = 0; b < s->var[y].n && !e->err; ++b) {
        const unsigned held = s->label[s->var[y].first + b];
        for (unsigned a = 0; a < s->var[x].n; ++a) {
            const unsigned need =
                ll_engine_needs_(e, user, v, s->label[s->var[x].first + a]);
            s->fn[f].table[b * s->var[x].n + a] =
                need & ~held ? LL_ENGINE_MANY_ : 0u;
        }
    }
}

/* Private: sets up all unknowns and functions. */
LL_FN void ll_engine_set_up_(ll_engine *e, ll_engine_solution_ *s) {
    s->op_var = ll_engine_take_word_(e, e->ops + 1u);
    s->value_var = ll_engine_take_word_(e, e->values + 1u);
    for (unsigned p = 0; p < e->ops && !e->err; ++p) {
        s->op_var[p] = LL_ENGINE_NONE;
        ll_engine_op_var_(e, s, p);
        if (s->op_var[p] != LL_ENGINE_NONE) {
            ll_engine_own_cost_(e, s, s->op_var[p]);
        }
    }
    for (unsigned v = 0; v < e->values && !e->err; ++v) {
        unsigned user = 0;
        s->value_var[v] = LL_ENGINE_NONE;
        const unsigned n =
            e->value[v].is_free ? 0u : ll_engine_users_(e, v, 1, &user);
        if (n == 1u && user != e->value[v].def) {
            ll_engine_moves_cost_(e, s, v, s->op_var[user]);
        } else if (n > 1u) { /* a loop alone takes its own result as it is */
            ll_engine_value_var_(e, s, v);
            if (!e->err) {
                ll_engine_moves_cost_(e, s, v, s->value_var[v]);
            }
            for (unsigned k = 0; k < e->value[v].uses && !e->err; ++k) {
                const unsigned op = e->use[e->value[v].use + k];
                if (k == 0 || e->use[e->value[v].use + k - 1u] != op) {
                    ll_engine_rule_out_(e, s, v, op);
                }
            }
        }
    }
}

#endif /* LL_ENGINE */

/* ---- engine/solve: Engine: the exact solver --------------------------- */

#ifdef LL_ENGINE

/* Private: returns the place of unknown x in a function's scope. */
LL_FN unsigned ll_engine_in_scope_(const ll_engine_solution_ *s,
                                   const ll_engine_fn_ *f, unsigned x) {
    unsigned k = 0;
    while (k < f->n && s->scope[f->at + k] != x) {
        ++k;
    }
    return k;
}

/* Private: adds the minimum of f(a, ..) - f(b, ..) over the labels of the other
 * unknown, if there is one, to *gain. Returns 0 if label b is ruled out where a
 * is not. Functions have one or two unknowns. */
LL_FN int ll_engine_gains_(const ll_engine_solution_ *s, const ll_engine_fn_ *f,
                           unsigned x, unsigned a, unsigned b,
                           long long *gain) {
    const unsigned at = ll_engine_in_scope_(s, f, x);
    const unsigned other = f->n > 1u ? s->scope[f->at + !at] : x;
    const unsigned n = f->n > 1u ? s->var[other].n : 1u;
    const unsigned long long step = f->n > 1u && at == 0 ? s->var[x].n : 1u;
    const unsigned long long mine = at == 0 ? 1u : s->var[other].n;
    long long least = (long long)LL_ENGINE_MANY_;
    for (unsigned k = 0; k < n; ++k) {
        if (f->n > 1u && s->label[s->var[other].first + k] == LL_ENGINE_NONE) {
            continue; /* dropped */
        }
        const unsigned long long p = f->table[k * step + a * mine];
        const unsigned long long q = f->table[k * step + b * mine];
        if (q >= LL_ENGINE_MANY_ && p < LL_ENGINE_MANY_) {
            return 0;
        }
        if (p < LL_ENGINE_MANY_ && (long long)p - (long long)q < least) {
            least = (long long)p - (long long)q;
        }
    }
    *gain += least;
    return 1;
}

/* Private: returns whether label a of unknown x costs at least as much as label
 * b for all labels of the other unknowns. */
LL_FN int ll_engine_is_beaten_(const ll_engine_solution_ *s, unsigned x,
                               unsigned a, unsigned b) {
    long long gain = 0;
    for (unsigned k = s->var[x].list; k != LL_ENGINE_NONE;
         k = s->node[k + 1u]) {
        if (!ll_engine_gains_(s, &s->fn[s->node[k]], x, a, b, &gain)) {
            return 0;
        }
    }
    return gain >= 0;
}

/* Private: the quick test looks at no more than this many functions of an
 * unknown. */
#define LL_ENGINE_QUICK_ 48u

/* Private: where each function of an unknown has its lowest entry for label
 * a. */
typedef struct ll_engine_least_ {
    unsigned n; /* functions; 0: no quick answer */
    unsigned long long sum;
    unsigned long long at[LL_ENGINE_QUICK_]; /* of label 0 */
    const unsigned long long *table[LL_ENGINE_QUICK_];
    unsigned long long mine[LL_ENGINE_QUICK_];
} ll_engine_least_;

LL_FN void ll_engine_least_of_(const ll_engine_solution_ *s, unsigned x,
                               unsigned a, ll_engine_least_ *l) {
    unsigned n = 0;
    l->n = 0;
    l->sum = 0;
    for (unsigned k = s->var[x].list; k != LL_ENGINE_NONE;
         k = s->node[k + 1u]) {
        const ll_engine_fn_ *f = &s->fn[s->node[k]];
        const unsigned at = ll_engine_in_scope_(s, f, x);
        const unsigned other = f->n > 1u ? s->scope[f->at + !at] : x;
        const unsigned long long step = f->n > 1u && at == 0 ? s->var[x].n : 1u;
        const unsigned long long mine = at == 0 ? 1u : s->var[other].n;
        unsigned long long best = LL_ENGINE_MANY_;
        if (n == LL_ENGINE_QUICK_) {
            return;
        }
        for (unsigned j = 0; j < (f->n > 1u ? s->var[other].n : 1u); ++j) {
            const unsigned long long cost = f->table[j * step + a * mine];
            if (cost < best &&
                (f->n < 2u ||
                 s->label[s->var[other].first + j] != LL_ENGINE_NONE)) {
                best = cost;
                l->at[n] = j * step;
            }
        }
        if (best == LL_ENGINE_MANY_) {
            return;
        }
        l->table[n] = f->table;
        l->mine[n] = mine;
        l->sum += best;
        ++n;
    }
    l->n = n;
}

/* Private: returns whether label b costs more than a at the place where a costs
 * least. Then b does not beat a. */
LL_FN int ll_engine_is_worse_(const ll_engine_least_ *l, unsigned b) {
    unsigned long long sum = 0;
    for (unsigned k = 0; k < l->n && sum <= l->sum; ++k) {
        sum = ll_engine_plus_(sum, l->table[k][l->at[k] + b * l->mine[k]]);
    }
    return l->n && sum > l->sum;
}

/* Private: drops labels of one unknown, which are set to LL_ENGINE_NONE.
 * Returns their number. */
LL_FN unsigned ll_engine_drop_some_(ll_engine *e, ll_engine_solution_ *s,
                                    unsigned x) {
    unsigned *label = s->label + s->var[x].first;
    unsigned found = 0;
    ll_engine_least_ least = LL_ZERO;
    for (unsigned a = s->var[x].n; a-- > 0 && !e->err;) {
        if (label[a] != LL_ENGINE_NONE) {
            ll_engine_least_of_(s, x, a, &least);
        }
        for (unsigned b = 0; b < s->var[x].n && label[a] != LL_ENGINE_NONE;
             ++b) {
            if (b == a || label[b] == LL_ENGINE_NONE ||
                ll_engine_is_worse_(&least, b) ||
                !ll_engine_is_beaten_(s, x, a, b)) {
                continue;
            }
            s->drop =
                ll_engine_room_drop_(e, s->drop, s->drops + 1u, &s->cap_drop);
            if (e->err) {
                break;
            }
            s->drop[s->drops].var = x;
            s->drop[s->drops].label = a;
            s->drop[s->drops].by = b;
            ++s->drops;
            ++found;
            label[a] = LL_ENGINE_NONE;
        }
    }
    return found;
}

/* Private: removes the dropped labels from the tables and the lists. */
LL_FN void ll_engine_compact_(ll_engine_solution_ *s) {
    for (unsigned k = 0; k < s->fns; ++k) {
        ll_engine_fn_ *f = &s->fn[k];
        const ll_engine_var_ *x = &s->var[s->scope[f->at]];
        const ll_engine_var_ *y = f->n > 1u ? &s->var[s->scope[f->at + 1u]] : x;
        unsigned long long to = 0;
        for (unsigned b = 0; b < (f->n > 1u ? y->n : 1u); ++b) {
            for (unsigned a = 0; a < x->n; ++a) {
                if (s->label[x->first + a] != LL_ENGINE_NONE &&
                    (f->n < 2u || s->label[y->first + b] != LL_ENGINE_NONE)) {
                    f->table[to] = f->table[(unsigned long long)b * x->n + a];
                    ++to;
                }
            }
        }
    }
    for (unsigned k = 0; k < s->vars; ++k) {
        ll_engine_var_ *x = &s->var[k];
        unsigned to = 0;
        for (unsigned a = 0; a < x->n; ++a) {
            if (s->label[x->first + a] != LL_ENGINE_NONE) {
                s->label[x->first + to] = s->label[x->first + a];
                ++to;
            }
        }
        x->n = to;
    }
}

/* Private: drops labels that another label beats, until there are none left or
 * for four rounds. */
LL_FN void ll_engine_drop_all_(ll_engine *e, ll_engine_solution_ *s) {
    unsigned found = 1;
    for (unsigned round = 0; round < 4u && found && !e->err; ++round) {
        found = 0;
        for (unsigned x = 0; x < s->vars && !e->err; ++x) {
            found += ll_engine_drop_some_(e, s, x);
        }
    }
    if (!e->err) {
        ll_engine_compact_(s);
    }
}

/* Private: the most unknowns that an elimination joins. */
#define LL_ENGINE_SCOPE_ 40u

typedef struct ll_engine_scope_ {
    unsigned n;
    unsigned var[LL_ENGINE_SCOPE_];
    unsigned long long size; /* of a table */
} ll_engine_scope_;

/* Private: adds the unknowns of a function to a scope. Returns 0 if there would
 * be too many, or if the table would have more than `most` entries. */
LL_FN int ll_engine_join_(const ll_engine_solution_ *s, ll_engine_scope_ *u,
                          const ll_engine_fn_ *f, unsigned long long most) {
    ll_engine_scope_ w = *u;
    for (unsigned k = 0; k < f->n; ++k) {
        const unsigned x = s->scope[f->at + k];
        unsigned at = 0;
        while (at < w.n && w.var[at] != x) {
            ++at;
        }
        if (at == w.n) {
            if (w.n == LL_ENGINE_SCOPE_ || w.size * s->var[x].n > most) {
                return 0;
            }
            w.var[w.n] = x;
            ++w.n;
            w.size *= s->var[x].n;
        }
    }
    *u = w;
    return 1;
}

/* Private: returns the number of entries that the elimination of x would
 * visit. */
LL_FN unsigned long long ll_engine_weight_(const ll_engine_solution_ *s,
                                           unsigned x) {
    ll_engine_scope_ u = LL_ZERO;
    u.size = 1;
    for (unsigned k = s->var[x].list; k != LL_ENGINE_NONE;
         k = s->node[k + 1u]) {
        const ll_engine_fn_ *f = &s->fn[s->node[k]];
        if (!f->gone && !ll_engine_join_(s, &u, f, 1ull << 50)) {
            return ~0ull;
        }
    }
    return u.size;
}

/* Private: one function in a sum over the labels of a scope. */
typedef struct ll_engine_term_ {
    const unsigned long long *table;
    unsigned long long at;
    unsigned long long step[LL_ENGINE_SCOPE_];
} ll_engine_term_;

/* Private: writes the sum of the terms, minimised over the first unknown of the
 * scope, to the table of a message. */
LL_FN void ll_engine_minimise_(const ll_engine_solution_ *s,
                               const ll_engine_scope_ *u, ll_engine_term_ *term,
                               unsigned terms, unsigned long long *to) {
    unsigned at[LL_ENGINE_SCOPE_] = LL_ZERO;
    const unsigned n = s->var[u->var[0]].n;
    for (unsigned long long row = 0; row < u->size / n; ++row) {
        unsigned long long best = LL_ENGINE_MANY_;
        for (unsigned a = 0; a < n; ++a) {
            unsigned long long sum = 0;
            for (unsigned k = 0; k < terms; ++k) {
                sum += term[k].table[term[k].at + a * term[k].step[0]];
            }
            best = sum < best ? sum : best;
        }
        to[row] = best;
        for (unsigned d = 1; d < u->n; ++d) {
            const unsigned wrap = ++at[d] == s->var[u->var[d]].n;
            for (unsigned k = 0; k < terms; ++k) {
                term[k].at += term[k].step[d];
                term[k].at -= wrap ? term[k].step[d] * at[d] : 0u;
            }
            if (!wrap) {
                break;
            }
            at[d] = 0;
        }
    }
}

/* Private: sets up where a function is read for the labels of a scope. */
LL_FN void ll_engine_term_of_(const ll_engine_solution_ *s,
                              const ll_engine_scope_ *u, const ll_engine_fn_ *f,
                              ll_engine_term_ *t) {
    const ll_engine_term_ none = LL_ZERO;
    *t = none;
    t->table = f->table;
    for (unsigned d = 0; d < u->n; ++d) {
        unsigned long long step = 1;
        for (unsigned k = 0; k < f->n; ++k) {
            const unsigned x = s->scope[f->at + k];
            t->step[d] = x == u->var[d] ? step : t->step[d];
            step *= s->var[x].n;
        }
    }
}

#define LL_ENGINE_TERMS_ 64u

/* Private: eliminates x from as many of its functions as fit into one table.
 * Their minimum is a new function. Returns the number of functions used. */
LL_FN unsigned ll_engine_part_(ll_engine *e, ll_engine_solution_ *s, unsigned x,
                               unsigned part) {
    ll_engine_term_ term[LL_ENGINE_TERMS_] = LL_ZERO;
    unsigned list[LL_ENGINE_TERMS_] = LL_ZERO;
    ll_engine_scope_ u = LL_ZERO;
    unsigned n = 0;
    u.n = 1;
    u.var[0] = x;
    u.size = s->var[x].n;
    for (unsigned k = s->var[x].list; k != LL_ENGINE_NONE;
         k = s->node[k + 1u]) {
        ll_engine_fn_ *f = &s->fn[s->node[k]];
        const unsigned long long most = n ? e->table : 1ull << 50;
        if (!f->gone && n < LL_ENGINE_TERMS_ &&
            ll_engine_join_(s, &u, f, most)) {
            f->gone = 1;
            f->bucket = x;
            f->part = part;
            list[n] = s->node[k];
            ++n;
        }
    }
    const unsigned m = ll_engine_fn_new_(e, s, u.n - 1u, u.var + 1);
    if (e->err) {
        return 0;
    }
    s->fn[m].from = x;
    s->fn[m].of = part;
    for (unsigned k = 0; k < n; ++k) {
        ll_engine_term_of_(s, &u, &s->fn[list[k]], &term[k]);
    }
    ll_engine_minimise_(s, &u, term, n, s->fn[m].table);
    if (u.n == 1u) {
        s->bound = ll_engine_plus_(s->bound, s->fn[m].table[0]);
        s->fn[m].gone = 1;
    }
    return n;
}

/* Private: eliminates x. */
LL_FN void ll_engine_eliminate_var_(ll_engine *e, ll_engine_solution_ *s,
                                    unsigned x) {
    unsigned left = 0;
    unsigned part = 0;
    for (unsigned k = s->var[x].list; k != LL_ENGINE_NONE;
         k = s->node[k + 1u]) {
        left += !s->fn[s->node[k]].gone;
    }
    while (left && !e->err) {
        left -= ll_engine_part_(e, s, x, part);
        ++part;
    }
    s->cut += part > 1u;
    s->var[x].gone = 1;
    s->order[s->orders] = x;
    ++s->orders;
}

/* Private: eliminates all unknowns, smallest tables first. */
LL_FN void ll_engine_eliminate_all_(ll_engine *e, ll_engine_solution_ *s) {
    unsigned long long limit = 16;
    s->first_message = s->fns;
    s->order = ll_engine_take_word_(e, s->vars + 1u);
    while (s->orders < s->vars && !e->err) {
        unsigned long long least = ~0ull;
        unsigned which = LL_ENGINE_NONE;
        unsigned any = 0;
        for (unsigned x = 0; x < s->vars && !e->err; ++x) {
            if (s->var[x].gone) {
                continue;
            }
            const unsigned long long w = ll_engine_weight_(s, x);
            if (w <= limit) {
                ll_engine_eliminate_var_(e, s, x);
                any = 1;
            } else if (w < least || which == LL_ENGINE_NONE) {
                least = w;
                which = x;
            }
        }
        if (!any && which != LL_ENGINE_NONE && !e->err) {
            ll_engine_eliminate_var_(e, s, which);
        }
        limit = any ? limit : least;
    }
}

/* Private: returns the entry of a function for the labels chosen so far. */
LL_FN unsigned long long ll_engine_entry_(const ll_engine_solution_ *s,
                                          const ll_engine_fn_ *f) {
    unsigned long long at = 0;
    unsigned long long step = 1;
    for (unsigned k = 0; k < f->n; ++k) {
        const ll_engine_var_ *x = &s->var[s->scope[f->at + k]];
        at += step * x->label;
        step *= x->n;
    }
    return f->table[at];
}

/* Private: returns how much the label of x, chosen last, adds to the bound. */
LL_FN unsigned long long ll_engine_adds_(const ll_engine_solution_ *s,
                                         unsigned x,
                                         unsigned long long messages) {
    unsigned long long sum = 0;
    for (unsigned k = s->var[x].list; k != LL_ENGINE_NONE;
         k = s->node[k + 1u]) {
        const ll_engine_fn_ *f = &s->fn[s->node[k]];
        sum += f->bucket == x ? ll_engine_entry_(s, f) : 0u;
    }
    return sum >= LL_ENGINE_MANY_ ? LL_ENGINE_MANY_ : sum - messages;
}

/* Private: chooses the next label of a level, in increasing order of what
 * labels add to the bound. Returns 0 if none is left that stays below
 * `best`. */
LL_FN int ll_engine_next_label_(ll_engine_solution_ *s, unsigned x,
                                ll_engine_level_ *l, unsigned long long best) {
    unsigned long long least = LL_ENGINE_MANY_;
    unsigned which = LL_ENGINE_NONE;
    for (unsigned a = 0; a < s->var[x].n; ++a) {
        s->var[x].label = a;
        const unsigned long long add = ll_engine_adds_(s, x, l->messages);
        const int later =
            !l->some || add > l->last || (add == l->last && a > l->tried);
        if (later && add < least) {
            least = add;
            which = a;
        }
    }
    if (which == LL_ENGINE_NONE || l->bound + least >= best) {
        return 0;
    }
    l->some = 1;
    l->last = least;
    l->tried = s->var[x].label = which;
    return 1;
}

/* Private: returns the sum of the messages that unknown x sent, for the labels
 * chosen so far. first[x] is the first message. */
LL_FN unsigned long long ll_engine_sent_(const ll_engine_solution_ *s,
                                         const unsigned *first, unsigned x) {
    unsigned long long sum = 0;
    for (unsigned m = first[x]; m < s->fns && s->fn[m].from == x; ++m) {
        sum += ll_engine_entry_(s, &s->fn[m]);
    }
    return sum;
}

/* Private: searches for labels of all unknowns that cost less than `best`, and
 * replaces it, until the bound is reached. */
LL_FN void ll_engine_descend_(const ll_engine *e, ll_engine_solution_ *s,
                              const unsigned *first, ll_engine_level_ *level,
                              unsigned *best) {
    unsigned depth = 0;
    int down = 1;
    while (s->vars) {
        const unsigned x = s->order[s->vars - 1u - depth];
        ll_engine_level_ *l = &level[depth];
        if (down) {
            l->some = 0;
            l->messages = ll_engine_sent_(s, first, x);
        }
        ++s->visited;
        down = ll_engine_next_label_(s, x, l, s->cost) &&
               (s->visited < e->nodes || s->cost == LL_ENGINE_MANY_);
        if (!down && depth == 0) {
            break;
        }
        if (!down) {
            --depth;
            continue;
        }
        if (depth + 1u < s->vars) {
            level[depth + 1u].bound = l->bound + l->last;
            ++depth;
            continue;
        }
        s->cost = l->bound + l->last;
        for (unsigned k = 0; k < s->vars; ++k) {
            best[k] = s->var[k].label;
        }
        down = 0;
        if (s->cost == s->bound) {
            break;
        }
    }
}

/* Private: finds the best labels by a search guided by the messages. If no
 * elimination was cut, it never goes back. */
LL_FN void ll_engine_search_(ll_engine *e, ll_engine_solution_ *s) {
    unsigned *first = ll_engine_take_word_(e, s->vars + 1u);
    unsigned *best = ll_engine_take_word_(e, s->vars + 1u);
    ll_engine_level_ *level = ll_engine_take_level_(e, s->vars + 1u);
    if (e->err) {
        return;
    }
    for (unsigned m = s->fns; m-- > s->first_message;) {
        first[s->fn[m].from] = m;
    }
    s->cost = s->vars ? LL_ENGINE_MANY_ : 0u;
    level[0].bound = s->bound;
    ll_engine_descend_(e, s, first, level, best);
    s->optimal = s->cost == s->bound || s->visited < e->nodes;
    for (unsigned k = 0; k < s->vars; ++k) {
        s->var[k].label = best[k];
    }
}

#endif /* LL_ENGINE */

/* ---- engine/result: Engine: the result -------------------------------- */

/* The result is a label for each unknown. It says in which layouts each
 * operation is executed, and which conversions remain. It comes with a
 * certificate: the labels that were dropped, the order of elimination, and the
 * table of each step. ll_engine_check trusts none of it. It sets up the costs
 * again, repeats each comparison and each row of each table, tests every layout
 * with the public functions on shapes, and adds up the costs. */
#ifdef LL_ENGINE

/* Private: returns the label that was chosen for an operation. */
LL_FN unsigned ll_engine_chosen_(const ll_engine *e,
                                 const ll_engine_solution_ *s, unsigned op) {
    (void)e;
    const ll_engine_var_ *x = &s->var[s->op_var[op]];
    return s->label[x->first + x->label];
}

/* Private: returns the candidates in which value v is made. ll_engine_needed_
 * returns the candidates in which it is needed. v is not free, so its
 * operations have unknowns. */
LL_FN unsigned ll_engine_made_(const ll_engine *e, const ll_engine_solution_ *s,
                               unsigned v) {
    const unsigned def = e->value[v].def;
    return ll_engine_makes_(e, def, v, ll_engine_chosen_(e, s, def));
}

LL_FN unsigned ll_engine_needed_(const ll_engine *e,
                                 const ll_engine_solution_ *s, unsigned v) {
    if (s->value_var[v] != LL_ENGINE_NONE) {
        const ll_engine_var_ *x = &s->var[s->value_var[v]];
        return s->label[x->first + x->label];
    }
    const unsigned op = e->use[e->value[v].use]; /* the only one, if any */
    return e->value[v].uses
               ? ll_engine_needs_(e, op, v, ll_engine_chosen_(e, s, op))
               : 0u;
}

/* Private: lists the conversions of value v. */
LL_FN void ll_engine_list_moves_(ll_engine *e, ll_engine_solution_ *s,
                                 unsigned v) {
    unsigned held = ll_engine_made_(e, s, v);
    const unsigned need = ll_engine_needed_(e, s, v);
    ll_engine_order_ order = LL_ZERO;
    const ll_engine_costs_ costs = ll_engine_costs_of_(e, v);
    if (e->err) {
        return;
    }
    ll_engine_spread_cost_(&costs, held, need, &order);
    for (unsigned k = 0; k < order.n && !e->err; ++k) {
        const ll_engine_value a = e->value[v];
        const unsigned to = order.at[k];
        unsigned from = 0;
        s->move = ll_engine_room_move_(e, s->move, s->moves + 1u, &s->cap_move);
        const unsigned long long cost =
            ll_engine_nearest_(&costs, held, to, &from);
        if (e->err) {
            return;
        }
        ll_engine_move *m = &s->move[s->moves];
        m->value = v;
        m->from = e->candidate[a.first + from];
        m->to = e->candidate[a.first + to];
        m->weight = a.weight;
        m->cost = cost;
        m->kind =
            ll_engine_convert_(e, m->from, m->to, a.bits, a.element_bits)->kind;
        held |= 1u << to;
        ++s->moves;
    }
}

/* Private: returns the last operation that value v depends on. The value after
 * a loop or a merge also depends on the operation that makes the yielded value.
 * LL_ENGINE_NONE: it depends on itself. */
LL_FN unsigned ll_engine_maker_(const ll_engine *e, unsigned v) {
    unsigned last = 0;
    for (unsigned k = 0; k < e->ops; ++k) {
        const unsigned def = e->value[v].def;
        const ll_engine_op *o = &e->op[def];
        last = def > last ? def : last;
        if (o->kind != LL_ENGINE_CARRY ||
            e->operand[o->at + o->n_in + 1u] != v) {
            return last;
        }
        v = e->operand[o->at + 1u];
    }
    return LL_ENGINE_NONE;
}

/* Private: fails if an operation uses a value that is made after it, such as
 * the value after a loop before the operation that yields it. What a loop or a
 * branch yields may come later, but not depend on itself. */
LL_FN void ll_engine_no_cycles_(ll_engine *e) {
    for (unsigned p = 0; p < e->ops; ++p) {
        const ll_engine_op *o = &e->op[p];
        for (unsigned k = 0; k < o->n_in && !e->err; ++k) {
            const int later = o->kind == LL_ENGINE_CARRY && k == 1u;
            const unsigned last = ll_engine_maker_(e, e->operand[o->at + k]);
            if (later ? last == LL_ENGINE_NONE : last >= p) {
                ll_engine_fail_(e, LL_ENGINE_EVALUE, p);
            }
        }
    }
}

/* Private: finds the candidates, and the costs of the operations. */
LL_FN void ll_engine_prepare_(ll_engine *e) {
    const unsigned long long room = e->bytes / 16u;
    e->table = e->table             ? e->table
               : room < 1ull << 20 ? 1ull << 20
               : room > 1ull << 22 ? 1ull << 22
                                   : room;
    e->nodes = e->nodes ? e->nodes : 100000u;
    e->sets = e->sets ? e->sets : 3u;
    e->dropped[0] = e->dropped[1] = e->dropped[2] = 0;
    e->instance_words = e->cap_instance = 0; /* an older result keeps its own */
    if (!e->err && e->depth) {
        ll_engine_fail_(e, LL_ENGINE_ELOOP, LL_ENGINE_NONE);
    }
    ll_engine_no_cycles_(e);
    ll_engine_candidates_(e);
    ll_engine_prices_(e);
}

/* Private: returns the number of entries of a function's table. */
LL_FN unsigned long long ll_engine_entries_(const ll_engine_solution_ *s,
                                            const ll_engine_fn_ *f) {
    unsigned long long size = 1;
    for (unsigned k = 0; k < f->n; ++k) {
        size *= s->var[s->scope[f->at + k]].n;
    }
    return size;
}

/* Private: returns the operation at which every assignment is ruled out: the
 * one of the first function or message with no other entries. */
LL_FN unsigned ll_engine_stuck_(const ll_engine *e,
                                const ll_engine_solution_ *s) {
    for (unsigned k = 0; k < s->fns; ++k) {
        const ll_engine_fn_ *f = &s->fn[k];
        const unsigned long long n = ll_engine_entries_(s, f);
        unsigned long long t = 0;
        while (t < n && f->table[t] >= LL_ENGINE_MANY_) {
            ++t;
        }
        if (t == n) {
            const ll_engine_var_ *x =
                &s->var[k < s->first_message ? s->scope[f->at + f->n - 1u]
                                             : f->from];
            return x->is_value ? e->value[x->of].def : x->of;
        }
    }
    return LL_ENGINE_NONE;
}

/* Private: chooses among the candidates. Their prices are known. */
LL_FN int ll_engine_choose_(ll_engine *e) {
    ll_engine_solution_ *s = ll_engine_take_found_(e, 1);
    if (e->err) {
        return 0;
    }
    e->found = s;
    ll_engine_set_up_(e, s);
    if (!e->pool) { /* a constant has few labels and few steps */
        ll_engine_drop_all_(e, s);
    }
    ll_engine_eliminate_all_(e, s);
    if (!e->err && s->bound >= LL_ENGINE_MANY_) {
        ll_engine_fail_(e, e->scratch ? LL_ENGINE_ESCRATCH : LL_ENGINE_ENOTHING,
                        ll_engine_stuck_(e, s));
    }
    ll_engine_search_(e, s);
    for (unsigned v = 0; v < e->values && !e->err; ++v) {
        if (!e->value[v].is_free) {
            ll_engine_list_moves_(e, s, v);
        }
    }
    return !e->err;
}

/* ll_engine_solve(e): chooses layouts. Returns 1, or 0 with an error: an error
 * of the graph, LL_ENGINE_EVALUE (the operation uses a value that is made after
 * it or from it), LL_ENGINE_EFIXED, LL_ENGINE_EFIT (e->wrong is the operation),
 * LL_ENGINE_EWIDE, LL_ENGINE_EREGISTERS, LL_ENGINE_ESCRATCH,
 * LL_ENGINE_ENOTHING, LL_ENGINE_EARENA. Limits are members of e: registers and
 * scratch limit the result; most, sets, table and nodes limit the work. A graph
 * may be solved again after more layouts were fixed. */
LL_FN int ll_engine_solve(ll_engine *e) {
    if (!e->err) {
        ll_engine_prepare_(e);
    }
    return !e->err && ll_engine_choose_(e);
}

/* ll_engine_cost(e): returns the cost of the chosen layouts, in eighths of a
 * cycle. ll_engine_bound(e): returns a lower bound on the cost of every choice.
 * ll_engine_optimal(e): returns 1 if no choice is cheaper, by the bound or by a
 * complete search. All return 0 before ll_engine_solve. */
LL_FN unsigned long long ll_engine_cost(const ll_engine *e) {
    return ll_engine_found_(e) && !e->err ? ll_engine_found_(e)->cost : 0u;
}

LL_FN unsigned long long ll_engine_bound(const ll_engine *e) {
    return ll_engine_found_(e) && !e->err ? ll_engine_found_(e)->bound : 0u;
}

LL_FN int ll_engine_optimal(const ll_engine *e) {
    return ll_engine_found_(e) && !e->err && ll_engine_found_(e)->optimal;
}

/* ll_engine_held(e, v, k): returns the number of the k-th layout in which value
 * v is made; LL_ENGINE_NONE if there are no more, or if v is a constant, which
 * is available in every layout. */
LL_FN unsigned ll_engine_held(const ll_engine *e, unsigned v, unsigned k) {
    const unsigned made =
        !e->found || e->err || v >= e->values || e->value[v].is_free
            ? 0u
            : ll_engine_made_(e, ll_engine_found_(e), v);
    for (unsigned c = 0; c < LL_ENGINE_MOST; ++c) {
        if (made >> c & 1u && k-- == 0) {
            return e->candidate[e->value[v].first + c];
        }
    }
    return LL_ENGINE_NONE;
}

/* ll_engine_moves(e): returns the number of conversions that remain.
 * ll_engine_move_at(e, k): returns one of them. */
LL_FN unsigned ll_engine_moves(const ll_engine *e) {
    return ll_engine_found_(e) && !e->err ? ll_engine_found_(e)->moves : 0u;
}

LL_FN ll_engine_move ll_engine_move_at(const ll_engine *e, unsigned k) {
    const ll_engine_move none = LL_ZERO;
    return k < ll_engine_moves(e) ? ll_engine_found_(e)->move[k] : none;
}

#endif /* LL_ENGINE */

/* ---- engine/proof: Engine: the proof of a result ---------------------- */

#ifdef LL_ENGINE

/* Private: returns whether two layouts are equal, apart from redundant
 * registers. */
LL_FN int ll_engine_same_(ll_layout a, ll_layout b) {
    const ll_layout p =
        ll_drop_registers_(a, ll_unpack(a.in, LL_REGISTER, ll_free_bits(a)));
    const ll_layout q =
        ll_drop_registers_(b, ll_unpack(b.in, LL_REGISTER, ll_free_bits(b)));
    return !a.err && !b.err && ll_is_equal(p, q);
}

/* Private: returns the layout of an operation's result, computed by the public
 * functions from layout a of its operand. */
LL_FN ll_layout ll_engine_forward_(const ll_engine *e, const ll_engine_op *o,
                                   ll_layout a) {
    const ll_engine_value *in = &e->value[e->operand[o->at]];
    const ll_engine_value *out = &e->value[e->operand[o->at + o->n_in]];
    char list[2u * LL_MAX_DIMS] = LL_ZERO;
    switch (o->kind) {
    case LL_ENGINE_TRANS:
        for (unsigned k = 0; k < in->rank; ++k) {
            list[2u * k] = (char)('i' + o->order[k]);
            list[2u * k + 1u] = k + 1u < in->rank ? ' ' : '\0';
        }
        return ll_trans(a, list);
    case LL_ENGINE_RESHAPE:
        return ll_reshape_out(a, ll_engine_shape_(out));
    case LL_ENGINE_EXPAND:
        return ll_unsqueeze(a, ll_axis(o->axis));
    case LL_ENGINE_REDUCE:
        return ll_reduce(a, ll_axis(o->axis));
    case LL_ENGINE_SPLIT:
        return ll_split(a);
    default:
        return a;
    }
}

/* Private: returns the operand's layout, computed from layout b of the
 * result. */
LL_FN ll_layout ll_engine_backward_(const ll_engine *e, const ll_engine_op *o,
                                    ll_layout b) {
    const ll_engine_value *in = &e->value[e->operand[o->at]];
    const ll_engine_value *out = &e->value[e->operand[o->at + o->n_in]];
    for (unsigned k = 0; o->kind == LL_ENGINE_BROADCAST && k < in->rank; ++k) {
        b = in->size[k] != out->size[k] ? ll_broadcast_back(b, ll_axis(k)) : b;
    }
    return o->kind == LL_ENGINE_JOIN ? ll_split(b) : b;
}

/* Private: returns whether operands a and b of a dot have the layouts of its
 * instructions, apart from one order of k for both. They do if, for every set
 * of columns, the parts along k XOR to 0 exactly when they do so in the
 * instructions' layouts. */
LL_FN int ll_engine_is_in_order_(const ll_engine *e, const ll_engine_op *o,
                                 const unsigned *tuple) {
    ll_span_ rows = LL_ZERO;  /* along k: the instructions', then these */
    ll_span_ first = LL_ZERO; /* the first part alone, the second alone */
    ll_span_ last = LL_ZERO;
    int ok = 1;
    for (unsigned k = 0; k < 2u; ++k) {
        const ll_engine_flat *f = &e->flat[e->fixed[o->at + k]];
        const ll_engine_flat *g = &e->flat[tuple[k]];
        const ll_engine_value *v = &e->value[e->operand[o->at + k]];
        const unsigned low = k ? v->size[1] : 0u;
        const unsigned n = v->size[k ? 0 : 1];
        const unsigned axis = ll_ones_(n) << low;
        ok = ok && n <= LL_ENGINE_SUMMED_;
        for (unsigned d = 0; d < 4u; ++d) {
            ok = ok && f->n[d] == g->n[d];
        }
        for (unsigned c = 0; ok && c < ll_flat_total_(f); ++c) {
            const unsigned u = (f->basis[c] & axis) >> low;
            const unsigned w = (g->basis[c] & axis) >> low;
            ok = (f->basis[c] & ~axis) == (g->basis[c] & ~axis);
            ll_span_extend_(&rows, u << LL_ENGINE_SUMMED_ | w);
            ll_span_extend_(&first, u);
            ll_span_extend_(&last, w);
        }
    }
    return ok && rows.n == first.n && rows.n == last.n;
}

/* Private: returns whether the layouts of an instance satisfy its operation's
 * rule. */
LL_FN int ll_engine_is_legal_(const ll_engine *e, unsigned op,
                              const unsigned *tuple) {
    const ll_engine_op *o = &e->op[op];
    const unsigned n = o->n_in + o->n_out;
    const int back =
        o->kind == LL_ENGINE_BROADCAST || o->kind == LL_ENGINE_JOIN;
    int ok = !ll_engine_is_ordered_(o) || ll_engine_is_in_order_(e, o, tuple);
    for (unsigned k = 0; k < n; ++k) {
        const unsigned v = e->operand[o->at + k];
        const unsigned want = e->fixed[o->at + k];
        const int constant = e->value[v].is_free && !e->value[v].in_place;
        if (ll_engine_is_placed_(o, k) && !constant) { /* registers or tile */
            ok = ok && tuple[k] < e->flats &&
                 (e->flat[tuple[k]].n[1] ||
                  tuple[k] == ll_engine_tile_there_(e, o, k));
        }
        if (e->value[v].is_free && (k < o->n_in || tuple[k] >= e->flats)) {
            continue;
        }
        ok = ok && (want == LL_ENGINE_NONE || want == tuple[k] ||
                    (ll_engine_is_ordered_(o) && k < 2u));
        ok = ok && (o->kind != LL_ENGINE_REORDER ||
                    ll_engine_is_reorder_(e, tuple[0], tuple[1]));
        if (!ok || !ll_engine_is_tied_(o)) {
            continue;
        }
        const unsigned first = k < o->n_in || !o->n_in ? 0u : o->n_in;
        ok = tuple[k] == tuple[first]; /* operands agree; so do results */
        const unsigned u = e->operand[o->at];
        if (k == o->n_in && o->n_in && ok && !e->value[u].is_free &&
            o->kind != LL_ENGINE_UNPACK) {
            const ll_layout a = ll_engine_layout(e, u, tuple[0]);
            const ll_layout b = ll_engine_layout(e, v, tuple[k]);
            ok = back ? ll_engine_same_(ll_engine_backward_(e, o, b), a)
                      : ll_engine_same_(ll_engine_forward_(e, o, a), b);
        }
    }
    return ok;
}

/* The results of ll_engine_check. */
enum {
    LL_ENGINE_PROVEN,
    LL_ENGINE_BAD_MEMORY, /* too little memory is left for the check */
    LL_ENGINE_BAD_LABEL,  /* an unknown has an invalid label */
    LL_ENGINE_BAD_LAYOUT, /* an instance breaks the rule of its operation */
    LL_ENGINE_BAD_MOVE,   /* a conversion is missing, or its cost is wrong */
    LL_ENGINE_BAD_SUM,    /* the costs do not add up */
    LL_ENGINE_BAD_DROP,   /* a dropped label may be the best one */
    LL_ENGINE_BAD_TABLE,  /* a table has a wrong entry */
    LL_ENGINE_BAD_BOUND   /* the bound does not follow */
};

/* Private: checks that value v is held in each layout in which it is needed,
 * and subtracts the cost of its conversions from *left. */
LL_FN int ll_engine_check_moves_(const ll_engine *e,
                                 const ll_engine_solution_ *s, unsigned v,
                                 unsigned *next, unsigned long long *left) {
    const ll_engine_value *a = &e->value[v];
    unsigned held = ll_engine_made_(e, s, v);
    int ok = 1;
    for (; ok && *next < s->moves && s->move[*next].value == v; ++*next) {
        const ll_engine_move *m = &s->move[*next];
        const unsigned from = ll_engine_at_(e, v, m->from);
        const unsigned to = ll_engine_at_(e, v, m->to);
        ok = from < a->n && to < a->n && held >> from & 1u;
        if (ok) {
            const ll_plan p =
                ll_engine_plan(e, m->from, m->to, a->bits, a->element_bits);
            const unsigned long long cost = ll_engine_times_(
                ll_engine_cycles_(p.err, p.cycles, 1), a->weight);
            ok = m->cost == cost && m->weight == a->weight && cost <= *left &&
                 m->kind == (p.err ? (unsigned)LL_ANY : p.kind);
            *left -= cost;
            held |= 1u << to;
        }
    }
    for (unsigned k = 0; ok && k < a->uses; ++k) {
        const unsigned op = e->use[a->use + k];
        ok = s->op_var[op] == LL_ENGINE_NONE ||
             !(ll_engine_needs_(e, op, v, ll_engine_chosen_(e, s, op)) & ~held);
    }
    return ok;
}

/* Private: checks the layouts that were chosen for operation p, and subtracts
 * their cost from *left. */
LL_FN unsigned ll_engine_check_op_(ll_engine *e, const ll_engine_solution_ *s,
                                   unsigned p, unsigned *tuple,
                                   unsigned long long *left) {
    const unsigned label = ll_engine_chosen_(e, s, p);
    for (unsigned k = 0; ll_engine_of_label_(label, k) != LL_ENGINE_NONE; ++k) {
        ll_engine_numbers_(e, p, ll_engine_of_label_(label, k), tuple);
        if (!ll_engine_is_legal_(e, p, tuple)) {
            return LL_ENGINE_BAD_LAYOUT;
        }
        const unsigned long long cost =
            ll_engine_times_(ll_engine_price(e, p, tuple), e->op[p].weight) +
            (k ? ll_engine_again_(&e->op[p]) : 0u);
        if (cost > *left) {
            return LL_ENGINE_BAD_SUM;
        }
        *left -= cost;
    }
    return LL_ENGINE_PROVEN;
}

/* Private: checks all layouts that were chosen, and that the costs add up. */
LL_FN unsigned ll_engine_check_choice_(ll_engine *e,
                                       const ll_engine_solution_ *s) {
    unsigned long long left = s->cost;
    unsigned next = 0;
    unsigned *tuple = ll_engine_take_word_(e, ll_engine_widest_op_(e));
    for (unsigned x = 0; x < s->vars && tuple; ++x) {
        if (s->var[x].label >= s->var[x].n) {
            return LL_ENGINE_BAD_LABEL;
        }
    }
    for (unsigned p = 0; p < e->ops && tuple; ++p) {
        const unsigned bad = s->op_var[p] == LL_ENGINE_NONE
                                 ? (unsigned)LL_ENGINE_PROVEN
                                 : ll_engine_check_op_(e, s, p, tuple, &left);
        if (bad) {
            return bad;
        }
    }
    for (unsigned v = 0; v < e->values && tuple; ++v) {
        if (!e->value[v].is_free &&
            !ll_engine_check_moves_(e, s, v, &next, &left)) {
            return LL_ENGINE_BAD_MOVE;
        }
    }
    return !tuple             ? LL_ENGINE_BAD_MEMORY
           : next != s->moves ? LL_ENGINE_BAD_MOVE
           : left || e->err   ? LL_ENGINE_BAD_SUM
                              : LL_ENGINE_PROVEN;
}

/* Private: sets up the costs again in r, repeats the drops, and compares. */
LL_FN unsigned ll_engine_check_model_(ll_engine *e,
                                      const ll_engine_solution_ *s,
                                      ll_engine_solution_ *r) {
    ll_engine_set_up_(e, r);
    if (e->err) {
        return LL_ENGINE_BAD_MEMORY;
    }
    if (r->vars != s->vars || r->fns != s->first_message) {
        return LL_ENGINE_BAD_TABLE;
    }
    for (unsigned k = 0; k < s->drops; ++k) {
        const ll_engine_drop_ d = s->drop[k];
        if (d.var >= r->vars || d.label >= r->var[d.var].n ||
            d.by >= r->var[d.var].n || d.label == d.by) {
            return LL_ENGINE_BAD_DROP;
        }
        unsigned *label = r->label + r->var[d.var].first;
        if (label[d.label] == LL_ENGINE_NONE || label[d.by] == LL_ENGINE_NONE ||
            !ll_engine_is_beaten_(r, d.var, d.label, d.by)) {
            return LL_ENGINE_BAD_DROP;
        }
        label[d.label] = LL_ENGINE_NONE;
    }
    ll_engine_compact_(r);
    for (unsigned x = 0; x < s->vars; ++x) {
        if (r->var[x].n != s->var[x].n || r->var[x].first != s->var[x].first) {
            return LL_ENGINE_BAD_DROP;
        }
        for (unsigned k = 0; k < s->var[x].n; ++k) {
            if (r->label[r->var[x].first + k] !=
                s->label[s->var[x].first + k]) {
                return LL_ENGINE_BAD_LABEL;
            }
        }
    }
    return LL_ENGINE_PROVEN;
}

/* Private: checks the scopes of functions. The functions of the model are as
 * set up, and each function is used when the first of its unknowns in the order
 * is eliminated. */
LL_FN unsigned ll_engine_check_scopes_(const ll_engine_solution_ *s,
                                       const ll_engine_solution_ *r,
                                       const unsigned *when) {
    for (unsigned k = 0; k < s->fns; ++k) {
        const ll_engine_fn_ *f = &s->fn[k];
        if (f->n && ll_engine_in_scope_(s, f, f->bucket) == f->n) {
            return LL_ENGINE_BAD_BOUND;
        }
        for (unsigned d = 0; d < f->n; ++d) {
            if (s->scope[f->at + d] >= s->vars ||
                when[s->scope[f->at + d]] < when[f->bucket]) {
                return LL_ENGINE_BAD_BOUND;
            }
        }
        if (k >= s->first_message) {
            continue;
        }
        const ll_engine_fn_ *g = &r->fn[k];
        int same = f->n == g->n && f->n;
        for (unsigned d = 0; same && d < f->n; ++d) {
            same = s->scope[f->at + d] == r->scope[g->at + d];
        }
        for (unsigned long long t = 0; same && t < ll_engine_entries_(s, f);
             ++t) {
            same = f->table[t] == g->table[t];
        }
        if (!same) {
            return LL_ENGINE_BAD_TABLE;
        }
    }
    return LL_ENGINE_PROVEN;
}

/* Private: checks each row of a message: it is the lowest sum of the functions
 * that went into it. Writes the labels of a row to r. */
LL_FN unsigned ll_engine_check_message_(const ll_engine_solution_ *s,
                                        ll_engine_solution_ *r,
                                        const ll_engine_fn_ *m) {
    const unsigned x = m->from;
    for (unsigned long long row = 0; row < ll_engine_entries_(s, m); ++row) {
        unsigned long long rest = row;
        unsigned long long best = LL_ENGINE_MANY_;
        for (unsigned d = 0; d < m->n; ++d) {
            ll_engine_var_ *y = &r->var[s->scope[m->at + d]];
            y->label = (unsigned)(rest % y->n);
            rest /= y->n;
        }
        for (unsigned a = 0; a < r->var[x].n; ++a) {
            unsigned long long sum = 0;
            r->var[x].label = a;
            for (unsigned k = s->var[x].list; k != LL_ENGINE_NONE;
                 k = s->node[k + 1u]) {
                const ll_engine_fn_ *f = &s->fn[s->node[k]];
                if (f->bucket != x || f->part != m->of) {
                    continue;
                }
                unsigned long long at = 0;
                unsigned long long step = 1;
                for (unsigned d = 0; d < f->n; ++d) {
                    const ll_engine_var_ *y = &r->var[s->scope[f->at + d]];
                    at += step * y->label;
                    step *= y->n;
                }
                sum += f->table[at];
            }
            best = sum < best ? sum : best;
        }
        if (m->table[row] != best) {
            return LL_ENGINE_BAD_TABLE;
        }
    }
    return LL_ENGINE_PROVEN;
}

/* Private: checks that the functions that went into message k are older than
 * it, and depend only on its unknowns and on the eliminated one. */
LL_FN unsigned ll_engine_check_parts_(const ll_engine_solution_ *s,
                                      unsigned k) {
    const ll_engine_fn_ *m = &s->fn[k];
    int ok = 1;
    for (unsigned j = s->var[m->from].list; j != LL_ENGINE_NONE;
         j = s->node[j + 1u]) {
        const ll_engine_fn_ *f = &s->fn[s->node[j]];
        const int part = f->bucket == m->from && f->part == m->of;
        for (unsigned d = 0; part && d < f->n; ++d) {
            const unsigned y = s->scope[f->at + d];
            ok = ok && (y == m->from || ll_engine_in_scope_(s, m, y) < m->n);
        }
        ok = ok && (s->node[j] < k || f->bucket != m->from);
    }
    return ok ? LL_ENGINE_PROVEN : LL_ENGINE_BAD_BOUND;
}

/* Private: checks that every function went into exactly one message, which
 * depends on all of its other unknowns, and that the bound is the sum of the
 * messages without unknowns. */
LL_FN unsigned ll_engine_check_bound_(ll_engine *e,
                                      const ll_engine_solution_ *s,
                                      ll_engine_solution_ *r) {
    unsigned *when = ll_engine_take_word_(e, s->vars + 1u);
    unsigned long long bound = 0;
    unsigned bad = when ? LL_ENGINE_PROVEN : LL_ENGINE_BAD_MEMORY;
    for (unsigned k = 0; !bad && k < s->vars; ++k) {
        const unsigned x = s->order[k];
        bad = x >= s->vars || when[x] ? (unsigned)LL_ENGINE_BAD_BOUND : bad;
        if (!bad) {
            when[x] = k + 1u;
        }
    }
    bad = bad                    ? bad
          : s->orders != s->vars ? (unsigned)LL_ENGINE_BAD_BOUND
                                 : ll_engine_check_scopes_(s, r, when);
    for (unsigned k = s->first_message; !bad && k < s->fns; ++k) {
        const ll_engine_fn_ *m = &s->fn[k];
        if (m->from >= s->vars) {
            return LL_ENGINE_BAD_BOUND;
        }
        bad = ll_engine_check_parts_(s, k);
        bad = bad ? bad : ll_engine_check_message_(s, r, m);
        bound += !bad && m->n == 0 ? m->table[0] : 0u;
    }
    return bad                  ? bad
           : bound != s->bound  ? (unsigned)LL_ENGINE_BAD_BOUND
           : s->bound > s->cost ? (unsigned)LL_ENGINE_BAD_BOUND
                                : (unsigned)LL_ENGINE_PROVEN;
}

/* ll_engine_check(e): checks the certificate of ll_engine_solve. Returns
 * LL_ENGINE_PROVEN, or what is wrong. If it is proven, the layouts are legal
 * and cost what ll_engine_cost says. No choice among the candidates costs less
 * than ll_engine_bound, unless it holds a value in more layouts at the same
 * time. The check needs as much memory as the solver, and gives it back. */
LL_FN unsigned ll_engine_check(ll_engine *e) {
    const unsigned long long used = e->used;
    if (e->err || !e->found) {
        return LL_ENGINE_BAD_LABEL;
    }
    const ll_engine_solution_ *s = ll_engine_found_(e);
    ll_engine_solution_ r = LL_ZERO;
    unsigned bad = ll_engine_check_model_(e, s, &r); /* labels are these */
    bad = bad ? bad : ll_engine_check_choice_(e, s);
    bad = bad ? bad : ll_engine_check_bound_(e, s, &r);
    if (e->err) {
        e->err = LL_ENGINE_OK;
        bad = LL_ENGINE_BAD_MEMORY;
    }
    e->used = used;
    return bad;
}

/* ll_engine_executed(e, op, k, tuple): writes the numbers of the layouts of all
 * operands and results in the k-th execution of an operation to tuple, which
 * has room for them. Returns 0 if there is no k-th execution, or if the
 * operation is a constant, which has no layout of its own. */
LL_FN int ll_engine_executed(ll_engine *e, unsigned op, unsigned k,
                             unsigned *tuple) {
    const ll_engine_solution_ *s = ll_engine_found_(e);
    if (e->err || !s || op >= e->ops || s->op_var[op] == LL_ENGINE_NONE) {
        return 0;
    }
    const unsigned t = ll_engine_of_label_(ll_engine_chosen_(e, s, op), k);
    if (t != LL_ENGINE_NONE) {
        ll_engine_numbers_(e, op, t, tuple);
    }
    return t != LL_ENGINE_NONE && !e->err;
}

/* ll_engine_pin(e, v, id): returns the lowest cost of the graph, in eighths of
 * a cycle, if value v must be made in layout `id` alone; ~0 if that is not
 * possible, or if there is too little memory to find out. The result of
 * ll_engine_solve stays. */
LL_FN unsigned long long ll_engine_pin(ll_engine *e, unsigned v, unsigned id) {
    if (e->err || !e->found || v >= e->values || id >= e->flats) {
        return ~0ull;
    }
    const ll_engine saved = *e;
    const unsigned op = e->value[v].def;
    unsigned slot = e->op[op].at + e->op[op].n_in;
    ll_engine_value *values = ll_engine_take_value_(e, e->values);
    ll_engine_op *ops = ll_engine_take_op_(e, e->ops);
    unsigned long long cost = ~0ull;
    while (e->operand[slot] != v) {
        ++slot;
    }
    if (!e->err) {
        const unsigned was = e->fixed[slot];
        LL_MEMCPY_(values, e->value, e->values * sizeof *values);
        LL_MEMCPY_(ops, e->op, e->ops * sizeof *ops);
        e->fixed[slot] = id;
        cost = was != LL_ENGINE_NONE && was != id ? ~0ull
               : ll_engine_solve(e)               ? ll_engine_found_(e)->cost
                                                  : ~0ull;
        e->fixed[slot] = was;
        LL_MEMCPY_(saved.value, values, e->values * sizeof *values);
        LL_MEMCPY_(saved.op, ops, e->ops * sizeof *ops);
    }
    *e = saved;
    return cost;
}

#endif /* LL_ENGINE */

/* ---- engine/explain: Engine: explanations ----------------------------- */

/* Writes the error of a graph, its text, and why it has its layouts: the cost
 * of each operation and each remaining conversion, and the cost of doing
 * without the conversion. For that cost the graph is solved again with one
 * result fixed (a pin). */
#ifdef LL_ENGINE

/* Private: writes the number of operands or results that a kind takes. */
LL_FN void ll_engine_write_arity_(ll_writer_ *w, const ll_engine_op *o,
                                  unsigned n, const char *what) {
    const int dot = ll_engine_is_dot_(o->kind) && n == ~0u;
    const unsigned two = o->kind == LL_ENGINE_DOT ? 2u : 4u;
    if (dot) {
        ll_write_number_(w, two);
        ll_write_(w, " or ");
        ll_write_count_(w, two + 1u, what);
    } else if (n == ~0u) {
        ll_write_(w, "any number of ");
        ll_write_(w, what);
        ll_write_(w, "s");
    } else {
        ll_write_count_(w, n, what);
    }
}

/* Private: writes the numbers of operands and results that an operation
 * takes. */
LL_FN void ll_engine_write_counts_(ll_writer_ *w, const ll_engine_op *o) {
    unsigned ins = 0;
    unsigned outs = 0;
    ll_engine_arity_(o->kind, &ins, &outs);
    outs -= o->kind == LL_ENGINE_CARRY;
    ll_write_(w, ": it takes ");
    ll_engine_write_arity_(w, o, ins, "operand");
    ll_write_(w, " and ");
    if (ll_engine_is_each_(o->kind)) {
        ll_write_(w, "one result per operand");
    } else {
        ll_engine_write_arity_(w, o, outs, "result");
    }
}

/* Private: returns the line of a character of a text or, with `within`, the
 * number of the character in that line, all counted from 1; 0 if character is
 * 0. */
LL_FN unsigned ll_text_place_(const char *text, unsigned character,
                              int within) {
    unsigned line = character != 0u;
    unsigned from = 0;
    for (unsigned k = 0; line && k + 1u < character; ++k) {
        line += text[k] == '\n';
        from = text[k] == '\n' ? k + 1u : from;
    }
    return within ? character - from : line;
}

/* Private: writes the place of an error: its character and, after the first
 * line of the text that was read last, its line. */
LL_FN void ll_engine_write_at_(ll_writer_ *w, const ll_engine *e) {
    ll_write_(w, "at character ");
    ll_write_number_(w, e->character);
    if (e->text && e->wrong >= e->text_ops &&
        ll_text_place_(e->text, e->character, 0) > 1u) {
        ll_write_(w, ": line ");
        ll_write_number_(w, ll_text_place_(e->text, e->character, 0));
        ll_write_(w, ", character ");
        ll_write_number_(w, ll_text_place_(e->text, e->character, 1));
    }
    ll_write_(w, "): ");
}

/* Private: writes the operation at fault and up to four of its values: for a
 * loop the carried value, for a merge all but the hidden one inside. */
LL_FN void ll_engine_write_wrong_(ll_writer_ *w, const ll_engine *e,
                                  const ll_engine_op *o) {
    const int carry = o->kind == LL_ENGINE_CARRY;
    const int loop = carry && o->axis;
    const unsigned n = loop ? 3u : o->n_in + o->n_out;
    unsigned said = 0;
    ll_write_(w, loop ? "loop" : ll_engine_kind_name_(o->kind));
    for (unsigned k = loop ? 2u : 0u; k < n && o->at + k < e->operands; ++k) {
        if (said < 4u && (loop || !carry || k != o->n_in)) {
            ll_write_char_(w, ' ');
            ll_engine_write_value_(w, e, e->operand[o->at + k]);
            ++said;
        }
    }
    ll_write_(w, " (operation ");
    ll_write_number_(w, e->wrong);
}

/* ll_engine_error(e, buf, size): writes the sentence for the error of a graph,
 * which names the operation and the place in the text, and after the first
 * line also the line and the character in it: "ll: reduce m (operation 1, at
 * character 27: line 2, character 11): the value has no such axis, or not of
 * that size". */
LL_FN unsigned ll_engine_error(const ll_engine *e, char *buf, unsigned size) {
#define LL_ENGINE_SENTENCE_(arg, code, text) text,
    const char *const sentences[] = {
        "no error", LL_ENGINE_ERRORS(LL_ENGINE_SENTENCE_, e) ""};
#undef LL_ENGINE_SENTENCE_
    ll_writer_ w = ll_writer_on_(buf, size);
    const int there = e->wrong < e->ops;
    ll_write_(&w, "ll: ");
    if (there) {
        ll_engine_write_wrong_(&w, e, &e->op[e->wrong]);
        ll_write_(&w, e->character ? ", " : "): ");
    } else if (e->character) {
        ll_write_(&w, "(");
    }
    if (e->character) {
        ll_engine_write_at_(&w, e);
    }
    ll_write_(&w, sentences[e->err < LL_ENGINE_ERRORS_N_ ? e->err : 0u]);
    if (there && e->err == LL_ENGINE_ECOUNT) {
        ll_engine_write_counts_(&w, &e->op[e->wrong]);
    }
    return w.len;
}

/* Private: writes a list of numbers, as 1x64. With sizes, the numbers are
 * powers of two, none above the size of its axis. */
LL_FN void ll_engine_write_list_(ll_writer_ *w, const char *key,
                                 const unsigned char *list, unsigned n,
                                 const unsigned char *size) {
    unsigned any = 0;
    for (unsigned k = 0; k < n; ++k) {
        any |= size && size[k] < list[k] ? size[k] : list[k];
    }
    for (unsigned k = 0; k < n && (any || !*key); ++k) {
        ll_write_(w, k ? "x" : key);
        ll_write_number_(w, !size               ? list[k]
                            : list[k] < size[k] ? 1u << list[k]
                                                : 1u << size[k]);
    }
}

/* Private: writes operands with commas or blanks between them. */
LL_FN void ll_engine_write_values_(ll_writer_ *w, const ll_engine *e,
                                   unsigned at, unsigned n,
                                   const char *between) {
    for (unsigned k = 0; k < n; ++k) {
        ll_write_(w, k ? between : "");
        ll_engine_write_value_(w, e, e->operand[at + k]);
    }
}

/* Private: writes the layouts that the caller fixed. */
LL_FN void ll_engine_write_fixed_(ll_writer_ *w, const ll_engine *e,
                                  const ll_engine_op *o) {
    for (unsigned k = 0; k < o->n_in + o->n_out; ++k) {
        const unsigned id = e->fixed[o->at + k];
        const unsigned v = e->operand[o->at + k];
        if (id == LL_ENGINE_NONE) {
            continue;
        }
        ll_write_(w, k < o->n_in ? " in" : " out");
        ll_write_number_(w, k < o->n_in ? k : k - o->n_in);
        ll_write_(w, "=\"");
        ll_write_text_(w, ll_engine_layout(e, v, id));
        ll_write_(w, "\"");
    }
}

/* Private: writes the layout of a tile in shared memory. */
LL_FN void ll_engine_write_memory_(ll_writer_ *w, const ll_engine *e,
                                   const ll_engine_op *o) {
    if (o->memory == LL_ENGINE_NONE) {
        return;
    }
    const ll_engine_value *v = &e->value[e->operand[o->at]];
    const ll_shape none = LL_ZERO;
    ll_layout m =
        ll_zero(ll_shape_add_(none, LL_OFFSET, v->bits), ll_engine_shape_(v));
    for (unsigned k = 0; k < v->bits; ++k) {
        m.basis[k] = e->flat[o->memory].basis[k];
    }
    ll_write_(w, " memory=\"");
    ll_write_text_(w, m);
    ll_write_(w, "\"");
}

/* Private: writes the key of a distance, block= or step=, if it was given. */
LL_FN void ll_engine_write_step_(ll_writer_ *w, const char *key, unsigned n) {
    if (n) {
        ll_write_(w, key);
        ll_write_number_(w, n - 1u);
    }
}

/* Private: writes the keys of an operation, except its layouts. */
LL_FN void ll_engine_write_keys_(ll_writer_ *w, const ll_engine *e,
                                 const ll_engine_op *o,
                                 const ll_engine_value *v) {
    const unsigned has = ll_engine_keys_(o->kind);
    if (o->kind == LL_ENGINE_MAP ? o->cost != 8u : o->cost != 0u) {
        ll_write_(w, " cost=");
        ll_write_number_(w, o->cost % 8u ? o->cost : o->cost / 8u);
        ll_write_(w, o->cost % 8u ? "/8" : "");
    }
    if (has & LL_ENGINE_AXIS_ &&
        (o->axis || ll_engine_needs_axis_(
                        o->kind, e->value[e->operand[o->at]].rank))) {
        ll_write_(w, " axis=");
        ll_write_number_(w, o->axis);
    }
    ll_write_(w, o->combine ? " op=" : "");
    ll_write_(w, ll_engine_combine_name_(o->combine));
    ll_engine_write_step_(w, " block=", o->block);
    ll_engine_write_step_(w, " step=", o->step);
    if (o->align) {
        ll_write_(w, " align=");
        ll_write_number_(w, o->align);
    }
    ll_engine_write_list_(w, " order=", o->order,
                          has & LL_ENGINE_ORDER_ ? v->rank : 0u, 0);
    ll_engine_write_list_(w, " contiguous=", o->contiguous,
                          has & LL_ENGINE_CONTIGUOUS_ ? v->rank : 0u, v->size);
    ll_engine_write_list_(w, " same=", o->same,
                          has & LL_ENGINE_SAME_ ? v->rank : 0u, v->size);
}

/* Private: writes an operation that is neither a loop nor a value that it
 * carries. */
LL_FN void ll_engine_write_op_(ll_writer_ *w, const ll_engine *e,
                               const ll_engine_op *o) {
    const unsigned hidden = o->kind == LL_ENGINE_CARRY; /* the one inside */
    const unsigned first =
        e->operand[o->at + (o->n_out > hidden ? o->n_in + hidden : 0u)];
    const ll_engine_value *v = &e->value[first];
    ll_engine_write_values_(w, e, o->at + o->n_in + hidden, o->n_out - hidden,
                            ", ");
    ll_write_(w, o->n_out ? " = " : "");
    ll_write_(w, ll_engine_kind_name_(o->kind));
    ll_write_(w, o->n_in ? " " : "");
    ll_engine_write_values_(w, e, o->at, o->n_in, " ");
    if (o->n_out && !hidden && !ll_engine_is_each_(o->kind) && v->rank) {
        ll_write_(w, " ");
        ll_engine_write_list_(w, "", v->size, v->rank, v->size);
        ll_write_(w, ":");
        ll_write_number_(w, v->element_bits);
    }
    ll_engine_write_keys_(w, e, o, v);
    if (o->by_length) {
        ll_write_(w, " by=");
        for (unsigned k = 0; k < o->by_length; ++k) {
            ll_write_char_(w, o->by[k]);
        }
    }
    ll_engine_write_memory_(w, e, o);
    ll_engine_write_fixed_(w, e, o);
    ll_write_(w, "\n");
}

/* Private: returns whether a carried value before operation p, from `first` on,
 * starts with a result of operation `from`. */
LL_FN int ll_engine_starts_with_(const ll_engine *e, unsigned first, unsigned p,
                                 unsigned from) {
    int any = 0;
    for (unsigned k = first; k < p; ++k) {
        any = any || e->value[e->operand[e->op[k].at]].def == from;
    }
    return any;
}

/* Private: returns the first value that the loop at operation p carries. These
 * values stand before the loop. A value with which one of them starts belongs
 * to an earlier loop. */
LL_FN unsigned ll_engine_carried_(const ll_engine *e, unsigned p) {
    unsigned first = p;
    while (first && e->op[first - 1u].kind == LL_ENGINE_CARRY &&
           e->op[first - 1u].axis == e->op[p].cost &&
           !ll_engine_starts_with_(e, first, p, first - 1u)) {
        --first;
    }
    return first;
}

/* Private: writes the beginning or the end of the loop at operation p. */
LL_FN void ll_engine_write_loop_(ll_writer_ *w, const ll_engine *e, unsigned p,
                                 int end) {
    const unsigned first = ll_engine_carried_(e, p);
    ll_write_(w, end ? "yield" : "loop ");
    if (!end) {
        ll_write_number_(w, e->op[p].cost);
    }
    for (unsigned k = first; k < p; ++k) {
        ll_write_(w, k == first ? " " : ", ");
        if (!end) {
            ll_engine_write_value_(w, e, e->operand[e->op[k].at + 2u]);
            ll_write_(w, " = ");
        }
        ll_engine_write_value_(w, e, e->operand[e->op[k].at + (end ? 1u : 0u)]);
    }
    for (unsigned k = first; k < p && end; ++k) {
        ll_write_(w, k == first ? " -> " : ", ");
        ll_engine_write_value_(w, e, e->operand[e->op[k].at + 3u]);
    }
    ll_write_(w, "\n");
}

/* Private: returns whether carried value p stands before its loop. */
LL_FN int ll_engine_is_before_(const ll_engine *e, unsigned p) {
    const unsigned trips = e->op[p].axis;
    for (unsigned k = p; k < e->ops; ++k) {
        if (e->op[k].kind != LL_ENGINE_CARRY || e->op[k].axis != trips) {
            return e->op[k].kind == LL_ENGINE_LOOP && e->op[k].cost == trips &&
                   p >= ll_engine_carried_(e, k);
        }
    }
    return 0;
}

/* Private: writes a carried value that does not stand before its loop, as a
 * loop of its own. */
LL_FN void ll_engine_write_stray_(ll_writer_ *w, const ll_engine *e,
                                  const ll_engine_op *o) {
    const unsigned *v = e->operand + o->at;
    ll_write_(w, "loop ");
    ll_write_number_(w, o->axis);
    for (unsigned k = 0; k < 2u; ++k) {
        ll_write_(w, k ? "\nyield " : " ");
        ll_engine_write_value_(w, e, v[2u - k]);
        ll_write_(w, k ? " -> " : " = ");
        ll_engine_write_value_(w, e, v[3u * k]);
    }
    ll_write_(w, "\n");
}

/* ll_engine_print(e, buf, size): writes the graph as text that ll_engine_parse
 * reads. Values without names are called v0, v1, .. A carried value that does
 * not stand before its loop is written as a loop of its own, which costs the
 * same. Returns the length of the whole text. */
LL_FN unsigned ll_engine_print(const ll_engine *e, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    unsigned loop[LL_ENGINE_DEPTH] = LL_ZERO;
    unsigned depth = 0;
    for (unsigned p = 0; p < e->ops; ++p) {
        const ll_engine_op *o = &e->op[p];
        if (o->kind == LL_ENGINE_LOOP && o->cost) {
            ll_engine_write_loop_(&w, e, p, 0);
            loop[depth] = p;
            ++depth;
        } else if (o->kind == LL_ENGINE_LOOP) {
            --depth;
            ll_engine_write_loop_(&w, e, loop[depth], 1);
        } else if (o->kind != LL_ENGINE_CARRY || !o->axis) {
            ll_engine_write_op_(&w, e, o);
        } else if (!ll_engine_is_before_(e, p)) {
            ll_engine_write_stray_(&w, e, o);
        }
    }
    return w.len;
}

/* Private: writes eighths of a cycle as cycles. */
LL_FN void ll_engine_write_cycles_(ll_writer_ *w, unsigned long long eighths) {
    const unsigned part = (unsigned)(eighths % 8u) * 125u;
    ll_write_number_(w, eighths / 8u);
    if (part) {
        ll_write_char_(w, '.');
        ll_write_char_(w, (char)('0' + part / 100u));
    }
    ll_write_(w, " cycles");
}

/* Private: writes the name of an operation and of its first result or
 * operand. */
LL_FN void ll_engine_write_name_(ll_writer_ *w, const ll_engine *e,
                                 const ll_engine_op *o) {
    ll_write_(w, ll_engine_kind_name_(o->kind));
    ll_write_char_(w, ' ');
    ll_engine_write_value_(w, e,
                           e->operand[o->at + (o->n_out ? o->n_in : 0u)]);
}

/* Private: writes how much more a graph costs with a pin. It may cost less: the
 * pinned layout is a candidate everywhere, even for values that had too
 * many. */
LL_FN void ll_engine_write_more_(ll_writer_ *w, const ll_engine *e,
                                 unsigned long long pin) {
    const unsigned long long cost = ll_engine_cost(e);
    ll_engine_write_cycles_(w, pin < cost ? cost - pin : pin - cost);
    ll_write_(w, pin < cost ? " less, with more candidates" : " more");
}

/* Private: writes the origin of a layout of value v. */
LL_FN void ll_engine_write_reason_(ll_writer_ *w, const ll_engine *e,
                                   unsigned v, unsigned id) {
    const unsigned from = ll_engine_origin_(e, v, id);
    const unsigned why = from % 4u;
    if (why == LL_ENGINE_BY_NONE_) {
        return;
    }
    const ll_engine_op *o = &e->op[from / 4u];
    ll_write_(w, why == LL_ENGINE_BY_ORDER_    ? ", best order of k for "
                 : why == LL_ENGINE_BY_ACCESS_ ? ", coalesced for "
                                               : ", required by ");
    ll_engine_write_name_(w, e, o);
}

/* Private: returns whether the layout of a value was chosen for the value
 * itself and does not come from an operand. */
LL_FN int ll_engine_is_head_(ll_engine *e, unsigned v) {
    const unsigned op = e->value[v].def;
    const ll_engine_op *o = &e->op[op];
    const unsigned label =
        o->n ? ll_engine_chosen_(e, e->found, op) : LL_ENGINE_NONE;
    int head = o->n > 1u;
    for (unsigned k = 0; k < o->n_in && head; ++k) {
        const unsigned u = e->operand[o->at + k];
        head = e->value[u].is_free ||
               (ll_engine_mask_(e, op, k, label) &
                ~ll_engine_made_(e, e->found, u)) != 0;
    }
    return head;
}

/* Private: writes how much more the graph costs with the next best layout of
 * such a value. */
LL_FN void ll_engine_write_next_(ll_writer_ *w, ll_engine *e, unsigned v) {
    const ll_engine_value a = e->value[v];
    unsigned long long least = ~0ull;
    unsigned which = LL_ENGINE_NONE;
    for (unsigned k = 0; k < a.n; ++k) {
        const unsigned id = e->candidate[a.first + k];
        if (!(ll_engine_made_(e, e->found, v) >> k & 1u)) {
            const unsigned long long cost = ll_engine_pin(e, v, id);
            which = cost < least ? id : which;
            least = cost < least ? cost : least;
        }
    }
    if (which != LL_ENGINE_NONE) {
        ll_write_(w, "    next best: ");
        ll_engine_write_more_(w, e, least);
        ll_write_(w, ": ");
        ll_write_text_(w, ll_engine_layout(e, v, which));
        ll_engine_write_reason_(w, e, v, which);
        ll_write_(w, "\n");
    }
}

LL_FN const char *ll_engine_way_(unsigned kind) {
    return kind == LL_NOTHING     ? "nothing moves"
           : kind == LL_REGISTERS ? "between registers of a lane"
           : kind == LL_SHUFFLES  ? "between lanes"
           : kind == LL_SHARED    ? "through shared memory"
           : kind == LL_CLUSTER   ? "through the cluster's shared memory"
                                  : "without a known plan";
}

/* Private: writes a remaining conversion, and the cost of making the value in
 * that layout instead. */
LL_FN void ll_engine_write_move_(ll_writer_ *w, ll_engine *e,
                                 const ll_engine_move *m) {
    ll_write_(w, "convert ");
    ll_engine_write_value_(w, e, m->value);
    ll_write_(w, ": ");
    ll_engine_write_cycles_(w, m->cost);
    if (m->weight > 1u) {
        ll_write_(w, " in ");
        ll_write_number_(w, m->weight);
        ll_write_(w, " runs");
    }
    ll_write_(w, ", ");
    ll_write_(w, ll_engine_way_(m->kind));
    ll_write_(w, "\n    to ");
    ll_write_text_(w, ll_engine_layout(e, m->value, m->to));
    ll_engine_write_reason_(w, e, m->value, m->to);
    const unsigned long long pin = ll_engine_pin(e, m->value, m->to);
    if (pin == ~0ull) {
        ll_write_(w, "\n    it cannot be made in that layout\n");
        return;
    }
    ll_write_(w, "\n    made there: ");
    ll_engine_write_more_(w, e, pin);
    ll_write_(w, " in total, without the conversion\n");
}

/* Private: writes which copies bring tile `id` of value v. */
LL_FN void ll_engine_write_copies_(ll_writer_ *w, const ll_engine *e,
                                   unsigned v, unsigned id) {
    ll_engine_way_to_ way = LL_ZERO;
    unsigned n = 0;
    ll_engine_brought_(e, v, id, &way);
    for (unsigned j = 0; j < way.n; ++j) {
        const ll_engine_op *copy = &e->op[e->value[way.value[j]].def];
        if (ll_engine_is_tile_(copy->kind)) {
            ll_write_(w, n ? " and " : "");
            ll_engine_write_name_(w, e, copy);
            ++n;
        }
    }
    ll_write_(w, n == 1u ? " brings it\n" : " bring it\n");
}

/* Private: writes where a dot reads operand k, if it may read it in shared
 * memory. */
LL_FN void ll_engine_write_place_(ll_writer_ *w, ll_engine *e, unsigned op,
                                  unsigned k) {
    unsigned tuple[8] = LL_ZERO;
    const ll_engine_op *o = &e->op[op];
    const unsigned v = e->operand[o->at + k];
    if (!ll_engine_is_placed_(o, k) || !ll_engine_executed(e, op, 0, tuple)) {
        return;
    }
    ll_engine_write_name_(w, e, o);
    ll_write_(w, " reads ");
    ll_engine_write_value_(w, e, v);
    if (tuple[k] == o->place[k][2]) {
        ll_write_(w, " in registers\n");
    } else if (tuple[k] == o->in_place[k]) {
        ll_write_(w, " in shared memory, where ");
        ll_engine_write_copies_(w, e, v, tuple[k]);
    } else if (o->shares[k]) {
        ll_write_(w, " in shared memory, where it is stored already\n");
    } else {
        ll_write_(w, " in shared memory, where it is stored: ");
        ll_engine_write_cycles_(
            w, ll_engine_stores_(e, o, k, tuple[k]) * o->weight);
        ll_write_(w, "\n");
    }
}

/* Private: writes which layouts were not tried, and why. */
LL_FN void ll_engine_write_dropped_(ll_writer_ *w, const ll_engine *e) {
    const char *const why[] = {
        " because the value had e->most candidates",
        " because they need more registers than allowed",
        " because other values of an operation lack a matching layout"};
    const unsigned at = w->len;
    for (unsigned k = 0; k < 3u; ++k) {
        if (e->dropped[k]) {
            ll_write_(w, w->len > at ? ", " : "layouts not tried: ");
            ll_write_number_(w, e->dropped[k]);
            ll_write_(w, why[k]);
        }
    }
    ll_write_(w, w->len > at ? "\n" : "");
}

/* Private: writes the cost of each operation, unless it is 0. */
LL_FN void ll_engine_write_prices_(ll_writer_ *w, ll_engine *e) {
    const unsigned long long used = e->used;
    unsigned *tuple = ll_engine_take_word_(e, ll_engine_widest_op_(e));
    const unsigned at = w->len;
    for (unsigned p = 0; p < e->ops && !e->err; ++p) {
        const ll_engine_op *o = &e->op[p];
        unsigned long long cost = 0;
        for (unsigned k = 0; ll_engine_executed(e, p, k, tuple); ++k) {
            cost += ll_engine_times_(ll_engine_price(e, p, tuple), o->weight) +
                    (k ? ll_engine_again_(o) : 0u);
        }
        if (cost) {
            ll_write_(w, w->len > at ? ", " : "operations: ");
            ll_engine_write_name_(w, e, o);
            ll_write_char_(w, ' ');
            ll_engine_write_cycles_(w, cost);
        }
    }
    ll_write_(w, w->len > at ? "\n" : "");
    e->used = used;
    e->err = LL_ENGINE_OK; /* without memory the line is left out */
}

/* Private: the number of values for which the next best layout is explained. */
#define LL_ENGINE_HEADS_SAID_ 32u

/* ll_engine_explain(e, buf, size): writes the result of ll_engine_solve:
 *
 * The cost, and whether it is the lowest of all choices among the layouts tried
 * (at most e->most per value).
 *
 * The layouts in which each value is made, with the operation that they come
 * from. For the first 32 values that do not take theirs from an operand, also
 * how much more the next best layout would cost.
 *
 * The cost of the operations, and where dots read operands that may be in
 * shared memory.
 *
 * Each remaining conversion and, as `made there`, how much more the graph costs
 * if the value is made in that layout in the first place, without the
 * conversion.
 *
 * The number of layouts that were not tried, and why.
 *
 * Returns the length of the whole text; 0 if there is no result. */
LL_FN unsigned ll_engine_explain(ll_engine *e, char *buf, unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    if (e->err || !e->found) {
        return 0;
    }
    ll_engine_write_cycles_(&w, ll_engine_cost(e));
    ll_write_(&w, ll_engine_optimal(e)
                      ? " per warp, optimal among the layouts tried"
                      : " per warp, lower bound ");
    if (!ll_engine_optimal(e)) {
        ll_engine_write_cycles_(&w, ll_engine_bound(e));
    }
    ll_write_(&w, "; ");
    ll_write_count_(&w, ll_engine_moves(e), "conversion");
    ll_write_(&w, "\n");
    for (unsigned v = 0, heads = 0; v < e->values; ++v) {
        for (unsigned k = 0; ll_engine_held(e, v, k) != LL_ENGINE_NONE; ++k) {
            ll_engine_write_value_(&w, e, v);
            ll_write_(&w, k ? ", recomputed: " : ": ");
            ll_write_text_(&w, ll_engine_layout(e, v, ll_engine_held(e, v, k)));
            ll_engine_write_reason_(&w, e, v, ll_engine_held(e, v, k));
            ll_write_(&w, "\n");
        }
        if (!e->value[v].is_free && heads < LL_ENGINE_HEADS_SAID_ &&
            ll_engine_is_head_(e, v)) {
            ll_engine_write_next_(&w, e, v);
            ++heads;
        }
    }
    ll_engine_write_prices_(&w, e);
    for (unsigned p = 0; p < 2u * e->ops; ++p) {
        ll_engine_write_place_(&w, e, p / 2u, p % 2u);
    }
    for (unsigned k = 0; k < ll_engine_moves(e); ++k) {
        ll_engine_write_move_(&w, e, &e->found->move[k]);
    }
    ll_engine_write_dropped_(&w, e);
    return w.len;
}

#endif /* LL_ENGINE */

/* ---- engine/constant: Engine: graphs as constants --------------------- */

#ifdef LL_ENGINE

/* A graph as a constant. Callers ask for its values by name. */
#define LL_ASSIGN_VALUES_ 24u

typedef struct ll_assigned_value_ {
    const char *name;
    unsigned length;
    unsigned rank;
    unsigned char size[LL_ENGINE_AXES]; /* log2, slowest first */
    unsigned n;                         /* layouts */
    ll_engine_flat held[3];
} ll_assigned_value_;

typedef struct ll_assignment {
    unsigned err;            /* one of LL_ENGINE_ERRORS */
    unsigned character;      /* its place in the text, from 1; 0: none */
    unsigned long long cost; /* eighths of a cycle per warp */
    unsigned conversions;    /* number that remain */
    unsigned n;
    ll_assigned_value_ value[LL_ASSIGN_VALUES_];
} ll_assignment;

/* Private: sets the limits for a graph that is solved as a constant. */
LL_FN void ll_assign_limits_(ll_engine *e) {
    e->most = 4;
    e->sets = 2;
    e->table = 2048;
    e->nodes = 2000;
}

/* Private: lists all conversions that may remain. */
LL_FN void ll_assign_pairs_(ll_engine *e) {
    for (unsigned v = 0; v < e->values && !e->err; ++v) {
        const ll_engine_value a = e->value[v];
        unsigned made = 0;
        unsigned need = 0;
        for (unsigned t = 0; t < e->op[a.def].n && !a.is_free; ++t) {
            made |= ll_engine_makes_(e, a.def, v, t);
        }
        for (unsigned k = 0; k < a.uses && !a.is_free; ++k) {
            for (unsigned t = 0; t < e->op[e->use[a.use + k]].n; ++t) {
                need |= ll_engine_needs_(e, e->use[a.use + k], v, t);
            }
        }
        for (unsigned k = 0; k < a.n * a.n; ++k) {
            const unsigned from = k / a.n;
            const unsigned to = k % a.n;
            if (from != to && (made | need) >> from & need >> to & 1u) {
                ll_engine_convert_(e, e->candidate[a.first + from],
                                   e->candidate[a.first + to], a.bits,
                                   a.element_bits);
            }
        }
    }
}

/* Private: makes the lists of a constant, which point into another pool, point
 * to the same places of its own pool. */
LL_FN void ll_engine_move_pool_(ll_engine *e, const ll_engine_pool_ *from) {
    if (e->err) {
        return;
    }
    ll_engine_pool_ *to = e->pool;
    e->value = to->value; /* these take the whole array */
    e->op = to->op;
    e->flat = to->flat;
    e->pair = to->pair;
    e->price = to->wide + (e->price - from->wide);
    unsigned **const word[] = {&e->operand, &e->fixed,   &e->flat_next,
                               &e->hint,    &e->use,     &e->candidate,
                               &e->job,     &e->instance};
    for (unsigned k = 0; k < sizeof word / sizeof *word; ++k) {
        *word[k] = *word[k] ? to->word + (*word[k] - from->word) : 0;
    }
}

/* Private: returns a price that was left for later. The price of a conversion
 * has the kind of its plan in the lowest 4 bits. */
LL_FN unsigned long long ll_assign_price_(const ll_engine *e, unsigned k) {
    if (k < e->pairs) {
        ll_engine_pair_ q = e->pair[k];
        ll_engine_price_pair_(e, &q);
        return q.cost << 4 | q.kind;
    }
    const unsigned *job = e->job + 4u * (k - e->pairs);
    const ll_engine_op *o = &e->op[job[1]];
    return ll_engine_times_(o->kind == LL_ENGINE_GATHER
                                ? ll_engine_gathers_(e, o, job[2], job[3])
                                : ll_engine_along_(e, o, job[2]),
                            o->weight);
}

/* Private: collects the result. */
LL_FN ll_assignment ll_assign_result_(const ll_engine *e) {
    ll_assignment a = LL_ZERO;
    if (e->err || !e->found || e->values > LL_ASSIGN_VALUES_) {
        const int large = !e->err || e->err == LL_ENGINE_EARENA;
        a.err = large ? (unsigned)LL_ENGINE_ELARGE : e->err;
        a.character = large ? 0u : e->character;
        return a;
    }
    a.cost = e->found->cost;
    a.conversions = e->found->moves;
    a.n = e->values;
    for (unsigned v = 0; v < e->values; ++v) {
        ll_assigned_value_ *x = &a.value[v];
        x->name = e->value[v].name;
        x->length = e->value[v].length;
        x->rank = e->value[v].rank;
        for (unsigned k = 0; k < x->rank; ++k) {
            x->size[k] = e->value[v].size[k];
        }
        if (e->value[v].in_place &&
            e->op[e->value[v].def].memory != LL_ENGINE_NONE) {
            x->held[0] = e->flat[e->op[e->value[v].def].memory];
            x->n = 1;
        }
        for (unsigned id = ll_engine_held(e, v, 0); id != LL_ENGINE_NONE;
             id = ll_engine_held(e, v, x->n)) {
            x->held[x->n] = e->flat[id]; /* at most three */
            ++x->n;
        }
        for (unsigned k = 0; k < e->found->moves && x->n < 3u; ++k) {
            if (e->found->move[k].value == v) {
                x->held[x->n++] = e->flat[e->found->move[k].to];
            }
        }
    }
    return a;
}

/* Private: returns the value with that name that has a layout k; 0 if there is
 * none. */
LL_FN const ll_assigned_value_ *
ll_assigned_find_(const ll_assignment *a, const char *name, unsigned k) {
    for (unsigned v = 0; v < a->n; ++v) {
        if (k < a->value[v].n && a->value[v].name &&
            ll_engine_is_word_(a->value[v].name, a->value[v].length, name)) {
            return &a->value[v];
        }
    }
    return 0;
}

LL_FN int ll_assigned_has_(ll_assignment a, const char *name, unsigned k) {
    return ll_assigned_find_(&a, name, k) != 0;
}

/* ll_assigned(a, name, k): returns layout k of a value of an assignment. Fails
 * with LL_EMISSING if there is none, and with LL_ENULL if name is null. */
LL_FN ll_layout ll_assigned(ll_assignment a, const char *name, unsigned k) {
    const ll_assigned_value_ *x = ll_assigned_find_(&a, name, k);
    const ll_dim names[] = {LL_REGISTER, LL_LANE, LL_WARP, LL_BLOCK};
    ll_shape in = LL_ZERO;
    ll_shape out = LL_ZERO;
    if (!x) {
        return ll_layout_none_(name ? LL_EMISSING : LL_ENULL);
    }
    const unsigned tile = !x->held[k].n[1]; /* in shared memory */
    in = tile ? ll_shape_add_(in, LL_OFFSET, x->held[k].n[0]) : in;
    for (unsigned d = 0; d < 4u && !tile; ++d) {
        if (d < 3u || x->held[k].n[d]) {
            in = ll_shape_add_(in, names[d], x->held[k].n[d]);
        }
    }
    for (unsigned d = x->rank; d-- > 0;) {
        out = ll_shape_add_(out, ll_axis(d), x->size[d]);
    }
    ll_layout b = ll_zero(in, out);
    for (unsigned j = 0; j < ll_flat_total_(&x->held[k]); ++j) {
        b.basis[j] = x->held[k].basis[j];
    }
    return b;
}

#if LL_CONSTEXPR
/* The arguments of LL_ASSIGN. */
struct ll_assign_ask_ {
    const char *text;
    unsigned warps;
    ll_target target;
    ll_engine_family family;
    ll_engine_sorter sort;
};

/* The engine of a constant, with its lists. Compilers limit the steps of each
 * constant. So each stage is a constant of its own (the graph with its
 * candidates, the prices, the choice), and so is each plan. */
struct ll_assign_stage_ {
    ll_engine e;
    ll_engine_pool_ pool;

    LL_HOST_DEVICE_ constexpr explicit ll_assign_stage_(
        const ll_assign_ask_ &ask)
        : e(), pool() {
        ll_engine_start_(&e, ask.target, ask.warps, 1);
        e.pool = &pool;
        e.family = ask.family;
        e.sort = ask.sort;
        ll_assign_limits_(&e);
        ll_engine_parse(&e, ask.text);
        ll_engine_prepare_(&e);
        ll_assign_pairs_(&e);
    }

    /* The next stage: lists keep their places, in a pool of its own. */
    LL_HOST_DEVICE_ constexpr ll_assign_stage_(const ll_assign_stage_ &from,
                                               const unsigned long long *price)
        : e(from.e), pool(from.pool) {
        e.pool = &pool;
        ll_engine_move_pool_(&e, &from.pool);
        for (unsigned k = 0; k < e.pairs && !e.err; ++k) {
            e.pair[k].cost = price[k] >> 4;
            e.pair[k].kind = (unsigned)(price[k] & 15u);
        }
        for (unsigned k = 0; k < e.jobs && !e.err; ++k) {
            e.price[e.job[4u * k]] = price[e.pairs + k];
        }
        e.priced = 1;
        ll_engine_choose_(&e);
    }
};

template <class ASK_> struct ll_assign_graph_ {
    static constexpr ll_assign_stage_ value{ASK_::get()};
};
template <class ASK_, unsigned K_> struct ll_assign_cost_ {
    static constexpr unsigned long long value =
        ll_assign_price_(&ll_assign_graph_<ASK_>::value.e, K_);
};
#if LL_CPLUSPLUS_ < 201703L
template <class ASK_> constexpr ll_assign_stage_ ll_assign_graph_<ASK_>::value;
template <class ASK_, unsigned K_>
constexpr unsigned long long ll_assign_cost_<ASK_, K_>::value;
#endif

/* Writes N_ prices from FIRST_ on. It recurses by halves, so that templates do
 * not nest deeply. */
template <class ASK_, unsigned FIRST_, unsigned N_> struct ll_assign_fill_ {
    LL_FN void to(unsigned long long *price) {
        ll_assign_fill_<ASK_, FIRST_, N_ / 2u>::to(price);
        ll_assign_fill_<ASK_, FIRST_ + N_ / 2u, N_ - N_ / 2u>::to(price);
    }
};
template <class ASK_, unsigned FIRST_> struct ll_assign_fill_<ASK_, FIRST_, 1> {
    LL_FN void to(unsigned long long *price) {
        price[FIRST_] = ll_assign_cost_<ASK_, FIRST_>::value;
    }
};
template <class ASK_, unsigned FIRST_> struct ll_assign_fill_<ASK_, FIRST_, 0> {
    LL_FN void to(unsigned long long *) {}
};

template <class ASK_> LL_FN ll_assignment ll_assign_() {
    enum : unsigned {
        jobs = ll_assign_graph_<ASK_>::value.e.err
                   ? 0u
                   : ll_assign_graph_<ASK_>::value.e.pairs +
                         ll_assign_graph_<ASK_>::value.e.jobs
    };
    unsigned long long price[jobs + 1u] = LL_ZERO;
    ll_assign_fill_<ASK_, 0, jobs>::to(price);
    const ll_assign_stage_ last(ll_assign_graph_<ASK_>::value, price);
    return ll_assign_result_(&last.e);
}

/* Reports where the graph is wrong. Before C++26 the sentence of an assertion
 * is a literal, so each line of the text has its own. The compiler shows the
 * character in the type. */
#define LL_ASSIGN_LINES_(X)                                                 \
    X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13)    \
    X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24)       \
    X(25) X(26) X(27) X(28) X(29) X(30) X(31) X(32)
#define LL_ASSIGN_LINE_(n)                                                  \
    LL_END_LINE_                                                            \
    static_assert(LINE_ != n##u, "ll: the graph is wrong at character "     \
                                 "CHARACTER_ of line " #n);
template <unsigned LINE_, unsigned CHARACTER_> struct ll_assign_at_ {
    LL_ASSIGN_LINES_(LL_ASSIGN_LINE_)
    static_assert(LINE_ <= 32u, "ll: the graph is wrong at character "
                                "CHARACTER_ of line LINE_");
    enum : bool { value = true };
};

#if defined(__CUDACC__) && !defined(__clang__) && !defined(__CUDA_ARCH__) &&  \
    !LL_EMULATE
#define LL_NO_ENGINE_ERRORS_(NAME)
#else
#define LL_NO_ENGINE_ERRORS_(NAME)                                          \
    enum : unsigned { NAME##_err_ = ll_value_.err };                        \
    LL_ENGINE_ERRORS(LL_ASSERT_, NAME)                                      \
    static_assert(                                                          \
        ll_assign_at_<                                                      \
            ll_text_place_(NAME##_ask_::get().text, ll_value_.character,    \
                           0),                                              \
            ll_text_place_(NAME##_ask_::get().text, ll_value_.character,    \
                           1)>::value, "");
#endif

#define LL_ASSIGN_ASK_(NAME, text, warps, target, family)                   \
    struct NAME##_ask_ {                                                    \
        LL_CONSTANT_ ll_assign_ask_ get() {                                 \
            return ll_assign_ask_{text, warps, target, family,              \
                                  LL_SORTER_};                       \
        }                                                                   \
    };                                                                      \
    struct NAME##_ll_ {                                                     \
        LL_CONSTANT_ ll_assignment get() {                                  \
            LL_ONCE_ ll_assignment ll_value_ = ll_assign_<NAME##_ask_>();   \
            LL_NO_ENGINE_ERRORS_(NAME)                                      \
            return ll_value_;                                               \
        }                                                                   \
    };                                                                      \
    typedef ll_named_<NAME##_ll_, ll_source_> NAME LL_UNUSED_
#define LL_DECLARE_ASSIGNED_(NAME, FROM, name, k)                           \
    LL_DECLARE_CHECKED_(                                                    \
        NAME, ll_layout,                                                    \
        LL_EXPECT_((ll_value_.err != (unsigned)LL_ETOLD_ ||                 \
                    LL_GET(FROM).err == (unsigned)LL_ETOLD_),               \
                   "ll: " #NAME ": " #FROM                                  \
                   " has no value with this name, or no layout k of it");   \
        , ll_assigned_has_(LL_GET(FROM), name, k)                           \
              ? ll_assigned(LL_GET(FROM), name, k)                          \
              : ll_told_error_<ll_layout>())

#else

/* Private: the same in C, at run time. */
LL_FN ll_assignment ll_assign_(const char *text, unsigned warps, ll_target t,
                               ll_engine_family family,
                               ll_engine_sorter sort) {
    unsigned char memory[1u << 19];
    ll_engine e;
    ll_engine_begin(&e, memory, sizeof memory, t, warps, 1);
    e.family = family;
    e.sort = sort;
    ll_assign_limits_(&e);
    ll_engine_parse(&e, text);
    ll_engine_solve(&e);
    return ll_assign_result_(&e);
}

#define LL_ASSIGN_ASK_(NAME, text, warps, target, family)                   \
    const ll_assignment NAME =                                              \
        ll_assign_(text, warps, target, family, LL_SORTER_)
#define LL_DECLARE_ASSIGNED_(NAME, FROM, name, k)                           \
    const ll_layout NAME = ll_assigned(FROM, name, k)

#endif

/* LL_ASSIGN(NAME, text, warps, target): declares the layouts for a graph of up
 * to about a dozen operations as a constant, for blocks of `warps` warps. The
 * text is as for ll_engine_parse. A bad graph stops the compiler with a
 * sentence that has NAME. A second sentence names the line of the text; beside
 * it the compiler shows the type ll_assign_at_<LINE_, CHARACTER_>. LL_ASSIGN
 * considers at most 4 candidates per value and 2 executions per operation.
 * ll_engine_solve considers 8 and 3, and may find a lower cost. Sorts have a
 * price only with LL_SORTS. LL_GET(NAME).cost is the cost as from
 * ll_engine_cost:
 *
 *     LL_ASSIGN(BEST, "x = load 64x64:32 contiguous=1x64 align=16\n"
 *                     "t = trans x order=1x0\n"
 *                     "store t contiguous=1x64 align=16\n", 4, LL_SM90);
 *     LL_ASSIGNED(MADE, BEST, "t", 0);
 *     LL_ASSIGNED(STORED, BEST, "t", 1);
 *     LL_PLAN(TURN, MADE, STORED, 32, LL_SM90); */
#define LL_ASSIGN(NAME, text, warps, target)                                \
    LL_ASSIGN_ASK_(NAME, text, warps, target, 0)

/* LL_ASSIGN_BY(NAME, text, warps, target, family): the same for a graph with
 * dots that name the instructions of a family, ll_ptx_dot or ll_amd_dot. Dots
 * may sum over k in any order, as in ll_engine_by:
 *
 *     LL_ASSIGN_BY(BEST, "a = load 64x64:16 contiguous=1x64 align=16\n"
 *                        "b = tma_load 64x64:16\n"
 *                        "c = dot a b by=wgmma\n"
 *                        "store c contiguous=1x64 align=16\n", 4, LL_SM90,
 *                  ll_ptx_dot);
 *     LL_ASSIGNED(TILE, BEST, "b", 0); // in shared memory */
#define LL_ASSIGN_BY(NAME, text, warps, target, family)                     \
    LL_ASSIGN_ASK_(NAME, text, warps, target, family)

/* LL_ASSIGNED(LAYOUT, NAME, "x", k): declares layout k of value x of an
 * assignment as a constant, as LL_LAYOUT does. The layouts in which x is made
 * come first, then the layouts to which it is converted. A tile that only dots
 * read, in place, has its layout in shared memory. If there is no layout k, a
 * sentence says so. */
#define LL_ASSIGNED(LAYOUT, NAME, name, k)                                  \
    LL_DECLARE_ASSIGNED_(LAYOUT, NAME, name, k)

#else
#define LL_ASSIGN(NAME, ...) LL_ABSENT_PART_(NAME, "LL_ENGINE")
#define LL_ASSIGN_BY(NAME, ...) LL_ABSENT_PART_(NAME, "LL_ENGINE")
#define LL_ASSIGNED(LAYOUT, ...) LL_ABSENT_LAYOUT_(LAYOUT)
#endif /* LL_ENGINE */

/* ---- cluster/plan: Clusters: plans ------------------------------------ */

/* Optional: define LL_CLUSTERS before including the header. These are
 * reductions and scans across the blocks of a cluster without barriers of the
 * cluster, for kernels that execute one after the other.
 *
 * Blocks are vectors over F2, as their columns are. The blocks that hold parts
 * of the same results as block 0 are a subspace: their columns, without the
 * axis, lie in the span of one block's elements. Some blocks of this subspace
 * hold only copies; they are a subspace of it. A complement of that one, of 2^k
 * blocks, has the 2^k partial results of each element once. Block b therefore
 * sends to block b ^ c for all c of the complement, and its number there, the
 * slot, is linear in b. Every block finds the same partial results in the same
 * slots and combines them in the same order, so all results have the same bits.
 *
 * Threads that hold copies send to different blocks. A send is st.async, which
 * stores to the other block and reports its bytes to an mbarrier there. Each
 * lane waits for this mbarrier and loads a share of its slots. The lanes of a
 * warp then combine them as in a reduction.
 *
 * In a scan, the numbers of the blocks must be the upper bits of the axis.
 * Blocks send their lines' totals; lanes combine those before their own.
 *
 * Turn number t uses buffer t mod B and its mbarrier. Let each thread send at
 * most d turns more than it receives, and B >= 2 + 2d. A block has a barrier in
 * each turn, before it sends. Suppose that block b sends turn t to block r. The
 * threads of b have received turn t - 1 - d, so r has sent it. Before the
 * barrier of that turn, all threads of r had received turn t - 2 - 2d. They
 * last read the same buffer in turn t - B, which is not later. So nothing is
 * overwritten before it is read, and no mbarrier is a phase ahead of a thread
 * that waits. Reductions and scans within a block have two buffers: the barrier
 * of turn t - 1 stands between turns t - 2 and t. At the start the cluster
 * waits until all mbarriers are there; at the end, until none sends. */

#ifdef LL_CLUSTERS

/* A plan for the reduction or the scan of a layout across blocks. */
typedef struct ll_cluster_plan {
    unsigned err;
    unsigned lanes;        /* of a warp */
    unsigned threads;      /* of a block */
    unsigned element_bits;
    unsigned from_bits;    /* log2 of the registers before */
    unsigned to_bits;      /* log2 of the registers after */
    unsigned smem_bytes;   /* of shared memory */
    unsigned cycles;       /* of a warp, estimated */
    unsigned scans;        /* 1: a scan, 0: a reduction */
    ll_reduce_plan reduce; /* within each block */
    ll_scan_plan scan;
    unsigned wait;         /* a further barrier per turn; 0: none */
    unsigned partial;      /* log2 of the partial results of one element, which
                              blocks exchange; 0: one block has all of it */
    unsigned results;      /* log2 of the results of a block */
    unsigned slot_bytes;   /* of a partial result, 4 to 16 */
    ll_layout sends;       /* register, lane, warp, block -> slot, the block to
                              send to, and in a scan the coordinate */
    unsigned n;            /* log2 of the positions among these registers: the
                              others send to further blocks */
    unsigned reg[LL_MAX_BITS]; /* of a scan: register of bit k of a position */
    unsigned spare;        /* threads with one of these bits are copies, which
                              send nothing */
    ll_layout receives;    /* register, lane, warp, block -> slot, and in a scan
                              the block's coordinate */
    ll_tree tree;          /* of a reduction: combines these registers */
    unsigned line[LL_MAX_BITS]; /* of a scan: line of bit k of a register */
    unsigned x[LL_MAX_BITS];    /* and its coordinate within the block */
    unsigned buffers;
    unsigned bytes;        /* that a block receives in a turn */
    unsigned here_bytes;   /* of a buffer for the work within a block */
    unsigned slots_at, bars_at; /* in shared memory */
    ll_lack lacks;
} ll_cluster_plan;

/* Private: what the blocks of a cluster share. */
typedef struct ll_cluster_blocks_ {
    ll_span_ results; /* a basis of what a block holds, without the axis */
    ll_span_ with;    /* XORed to a block: blocks with other partial results */
    ll_span_ number;  /* per block bit: number of its partial results */
    ll_span_ place;   /* per block bit: the result, in the basis */
} ll_cluster_blocks_;

/* Private: returns a list without the bits of a mask. */
LL_FN ll_span_ ll_masked_(ll_span_ l, unsigned mask) {
    for (unsigned k = 0; k < l.n; ++k) {
        l.v[k] &= ~mask;
    }
    return l;
}

/* Private: returns the coordinates of vectors in a basis that unit vectors
 * complete, for its first n vectors alone. */
LL_FN ll_span_ ll_low_terms_(ll_span_ basis, const ll_span_ *l, unsigned n) {
    const ll_span_ units = ll_span_units_(0, LL_MAX_BITS);
    ll_span_append_(&basis, &units, LL_MAX_BITS);
    return ll_masked_(ll_span_terms_(&basis, l), ~ll_ones_(n));
}

/* Private: returns what the blocks of layout a share along the axis `mask`. */
LL_FN ll_cluster_blocks_ ll_cluster_blocks_of_(const ll_layout *a,
                                               unsigned mask) {
    const ll_span_ none = LL_ZERO;
    const unsigned first = ll_shape_start_(&a->in, 3);
    const ll_span_ units = ll_span_units_(0, ll_shape_bits_(&a->in) - first);
    const ll_span_ columns = ll_span_of_columns_(a, 0, first);
    const ll_span_ far = ll_span_of_columns_(a, first, first + units.n);
    const ll_span_ here = ll_span_independent_(&none, &columns);
    const ll_span_ rows = ll_masked_(columns, mask);
    const ll_span_ of_blocks = ll_masked_(far, mask);
    ll_cluster_blocks_ b = LL_ZERO;
    b.results = ll_span_independent_(&none, &rows);
    ll_span_ image = of_blocks;
    ll_span_project_(&image, &b.results);
    const ll_span_ group = ll_span_nullspace_(&units, &image);
    image = none;
    for (unsigned k = 0; k < group.n; ++k) {
        ll_span_push_(&image, ll_vectors_xor_(far.v, far.n, group.v[k]));
    }
    ll_span_project_(&image, &here);
    b.with = ll_span_fresh_(&none, &group, &image);
    ll_span_ basis = b.with;
    const ll_span_ copies = ll_span_nullspace_(&group, &image);
    ll_span_append_(&basis, &copies, LL_MAX_BITS);
    b.number = ll_low_terms_(basis, &units, b.with.n);
    b.place = ll_low_terms_(b.results, &of_blocks, b.results.n);
    return b;
}

/* Private: returns the layout from registers, lanes, warps and blocks to pairs
 * of a partial result (along LL_J) and a result (along LL_I). q: the results of
 * a block, in any order. b: the blocks. */
LL_FN ll_layout ll_cluster_slots_(const ll_layout *q, unsigned mask,
                                  const ll_cluster_blocks_ *b) {
    const unsigned partial = b->with.n;
    const unsigned own = ll_shape_start_(&q->in, 3);
    ll_layout s = *q;
    const ll_span_ columns = ll_span_of_columns_(q, 0, own);
    const ll_span_ rows = ll_masked_(columns, mask);
    const ll_span_ at = ll_low_terms_(b->results, &rows, b->results.n);
    ll_shape out = LL_ZERO;
    out = ll_shape_add_(out, LL_J, partial);
    out = ll_shape_add_(out, LL_I, b->results.n);
    s.out = out;
    s.offset = 0;
    s.in.n = 3;
    s.in = ll_shape_add_(s.in, LL_BLOCK, b->number.n);
    for (unsigned k = 0; k < own + b->number.n; ++k) {
        const unsigned y = k < own ? at.v[k] : b->place.v[k - own];
        s.basis[k] = ll_shift_(y, partial);
    }
    return s;
}

/* Private: inserts `more` registers after the others, with these columns. */
LL_FN void ll_more_registers_(ll_layout *a, const unsigned *column,
                              unsigned more) {
    const unsigned regs = a->in.bits[0];
    for (unsigned k = ll_shape_bits_(&a->in); k > regs; --k) {
        a->basis[k - 1u + more] = a->basis[k - 1u];
    }
    for (unsigned k = 0; k < more; ++k) {
        a->basis[regs + k] = column[k];
    }
    a->in.bits[0] = (unsigned short)(regs + more);
}

/* Private: sets where each thread sends. p->sends is set to s with three
 * outputs: the slot, the block and, for a scan, the coordinate of `length`
 * bits. Threads that hold copies send to other blocks, while there are any.
 * Then each thread itself sends to the remaining blocks. */
LL_FN void ll_cluster_sends_(ll_cluster_plan *p, ll_layout s, ll_dim axis,
                             const ll_span_ *x, unsigned length,
                             const ll_cluster_blocks_ *b) {
    const unsigned regs = s.in.bits[0];
    const unsigned own = ll_shape_start_(&s.in, 3);
    const unsigned block = b->with.n + b->results.n;
    const unsigned at = block + b->number.n;
    ll_span_ reduced = LL_ZERO;
    unsigned more[LL_MAX_BITS] = LL_ZERO;
    unsigned next = 0;
    for (unsigned k = 0; k < own; ++k) {
        s.basis[k] |= ll_shift_(x->v[k], at);
        if (ll_span_extend_(&reduced, s.basis[k]) == 0) {
            p->spare |= next < b->with.n ? 0u : 1u << (k - regs);
            s.basis[k] ^= next < b->with.n ? ll_shift_(b->with.v[next], block)
                                           : 0u;
            ++next;
        }
    }
    for (unsigned k = 0; k < b->number.n; ++k) {
        s.basis[own + k] |= b->number.v[k] | ll_shift_(1u << k, block);
    }
    next = next < b->with.n ? next : b->with.n;
    for (unsigned k = next; k < b->with.n; ++k) {
        more[k - next] = ll_shift_(b->with.v[k], block);
    }
    ll_more_registers_(&s, more, b->with.n - next);
    ll_shape out = LL_ZERO;
    out = ll_shape_add_(out, LL_OFFSET, block);
    out = ll_shape_add_(out, LL_BLOCK, b->number.n);
    s.out = length ? ll_shape_add_(out, axis, length) : out;
    p->n = regs;
    p->sends = s;
}

/* Private: numbers the slots so that those of a warp lie side by side. */
LL_FN void ll_cluster_order_(ll_cluster_plan *p) {
    const ll_span_ none = LL_ZERO;
    const unsigned bits = p->partial + p->results;
    const unsigned mask = ll_ones_(bits);
    const unsigned first = p->receives.in.bits[0];
    ll_layout *const both[] = {&p->sends, &p->receives};
    ll_span_ lanes = ll_span_of_columns_(&p->receives, first,
                                         first + p->receives.in.bits[1]);
    lanes = ll_masked_(lanes, ~mask);
    const ll_span_ basis = ll_span_independent_(&none, &lanes);
    for (unsigned m = 0; m < 2u; ++m) {
        ll_layout *const a = both[m];
        for (unsigned k = 0; k <= ll_shape_bits_(&a->in); ++k) {
            unsigned *const y = k ? &a->basis[k - 1u] : &a->offset;
            ll_span_ slot = LL_ZERO;
            ll_span_push_(&slot, *y & mask);
            slot = ll_low_terms_(basis, &slot, bits);
            *y = (*y & ~mask) | slot.v[0];
        }
    }
}

/* Private: places the buffers; `ahead` turns are sent before a receive. */
LL_FN ll_cluster_plan ll_cluster_placed_(ll_cluster_plan p, unsigned ahead,
                                         unsigned more) {
    const unsigned bytes = p.element_bits / 8u;
    const unsigned here = p.scans ? p.scan.smem_bytes : p.reduce.smem_bytes;
    const unsigned bits = p.partial + p.results;
    p.slot_bytes = bytes < 4u ? 4u : bytes;
    p.here_bytes = (here + 15u) / 16u * 16u;
    p.slots_at = p.smem_bytes = 2u * p.here_bytes;
    p.buffers = 2;
    while (p.buffers < 2u + 2u * ahead && p.buffers < 64u) {
        p.buffers *= 2u;
    }
    p.wait = p.partial ? p.wait : 0u;
    if (p.err || !p.partial) {
        return p;
    }
    p.bytes = bits < 16u ? (p.slot_bytes << bits) + more : ~0u;
    if (p.bytes >= 1u << 20 || more >= 1u << 20 || ahead > 31u) {
        p.err = LL_EBITS; /* an mbarrier counts no further */
        return p;
    }
    const unsigned slots = (p.slot_bytes << bits) + 15u;
    p.bars_at = p.slots_at + p.buffers * (slots / 16u * 16u);
    p.smem_bytes = p.bars_at + 8u * p.buffers;
    return p;
}

/* Private: returns a plan with the members that reductions and scans share. */
LL_FN ll_cluster_plan ll_cluster_for_(const ll_layout *a, unsigned element_bits,
                                      const ll_target *t) {
    ll_cluster_plan p = LL_ZERO;
    p.err = a->err;
    p.lacks = ll_lack_of_(a);
    p.lanes = t->lanes;
    p.element_bits = ll_element_held_(element_bits);
    p.threads = a->err ? 0u : ll_threads_of_(a);
    p.from_bits = p.to_bits = a->err ? 0u : a->in.bits[0];
    if (!p.err && a->in.n > 3u && a->in.bits[3] &&
        ll_ones_(a->in.bits[3]) >= 2u * t->blocks) {
        p.err = LL_EBLOCK;
    }
    return p;
}

/* Private: sets the number of partial results that blocks exchange. Returns 0
 * if they are too many. length: bits of the coordinate sent. */
LL_FN int ll_cluster_fits_(ll_cluster_plan *p, const ll_layout *a,
                           unsigned length, const ll_cluster_blocks_ *b) {
    const unsigned slot = b->with.n + b->results.n;
    p->partial = b->with.n;
    p->results = b->results.n;
    p->err = slot + a->in.bits[3] + length > LL_MAX_BITS ||
                     ll_shape_bits_(&a->in) + b->with.n > LL_MAX_BITS
                 ? LL_EBITS
                 : LL_OK;
    return !p->err;
}

/* Private: returns the barrier that a turn needs beside the plan's own barrier,
 * which waits for the block if the plan crosses warps and `op` says so. */
LL_FN unsigned ll_cluster_wait_(const ll_cluster_plan *p, unsigned crosses,
                                unsigned op) {
    return crosses && op == LL_OP_SYNC_BLOCK ? 0u
           : p->threads > p->lanes           ? (unsigned)LL_OP_SYNC_BLOCK
                                             : (unsigned)LL_OP_SYNC_WARP;
}

/* Private: sets which partial results the lanes load, after a reduction that
 * leaves them in layout q, and the tree that combines them. */
LL_FN void ll_cluster_receives_(ll_cluster_plan *p, const ll_layout *q,
                                const ll_target *t) {
    const ll_span_ axis = ll_span_units_(0, p->partial);
    const unsigned mask = ll_span_or_(&axis);
    ll_layout block = ll_in_block_(*q);
    ll_span_ done = LL_ZERO;
    const unsigned idle = ll_idle_lanes_(&block, mask);
    block =
        ll_axis_gathered_(&block, mask, &axis, idle < axis.n ? idle : axis.n);
    p->tree = ll_tree_split_(ll_tree_of_(&block, &axis, &done), 0,
                             p->element_bits, t);
    p->cycles += (ll_tree_cost_(&p->tree, p->element_bits, t) + 7u) / 8u;
    p->receives = block;
    p->receives.in = ll_shape_add_(block.in, LL_BLOCK, q->in.bits[3]);
    for (unsigned k = 0; k < q->in.bits[3]; ++k) {
        p->receives.basis[ll_shape_bits_(&block.in) + k] =
            q->basis[ll_shape_start_(&q->in, 3) + k];
    }
    ll_shape out = LL_ZERO;
    p->receives.out = ll_shape_add_(out, LL_OFFSET, p->partial + p->results);
}

/* ll_cluster_reduce_by(a, d, element_bits, t, ahead, more): as
 * ll_cluster_reduce_of, below. A kernel may send `ahead` turns before it
 * receives the first of them. In each turn a block also waits for `more` bytes,
 * which the kernel sends to LL_CLUSTER_BAR. */
LL_FN ll_cluster_plan ll_cluster_reduce_by(ll_layout a, ll_dim d,
                                           unsigned element_bits, ll_target t,
                                           unsigned ahead, unsigned more) {
    ll_span_ axis = LL_ZERO;
    ll_layout left = LL_ZERO;
    a = ll_layout_reducible_(a, d, element_bits, &t, &axis);
    ll_cluster_plan p = ll_cluster_for_(&a, element_bits, &t);
    if (p.err) {
        return p;
    }
    const ll_layout block = ll_in_block_(a);
    const ll_span_ columns =
        ll_span_of_columns_(&block, 0, ll_shape_bits_(&block.in));
    const ll_span_ here = ll_span_intersect_(&axis, &columns);
    const unsigned mask = ll_span_or_(&axis);
    p.reduce = ll_reduce_here_(&block, &axis, &here, element_bits, &t, &left);
    p.err = p.reduce.err == LL_ENOSOLUTION ? (unsigned)LL_EBLOCK : p.reduce.err;
    p.to_bits = p.reduce.to_bits;
    p.cycles = p.reduce.cycles;
    p.wait = ll_cluster_wait_(&p, p.reduce.crosses,
                              p.reduce.between.step[2].op);
    if (!p.err && a.in.n > 3u) {
        const ll_cluster_blocks_ b = ll_cluster_blocks_of_(&a, mask);
        const ll_span_ none = LL_ZERO;
        const ll_layout q = ll_cluster_slots_(&left, mask, &b);
        if (!ll_cluster_fits_(&p, &a, 0, &b)) {
            return p;
        }
        ll_cluster_receives_(&p, &q, &t);
        ll_cluster_sends_(&p, q, d, &none, 0, &b);
        ll_cluster_order_(&p);
    }
    return ll_cluster_placed_(p, ahead, more);
}

/* Private: returns layout a within a block, which has the lowest `length` bits
 * of the axis. Axis `at` starts at packed bit `start`. The layout is invalid if
 * a block has other coordinates as well, or if they depend on the block. */
LL_FN ll_layout ll_cluster_below_(const ll_layout *a, unsigned at,
                                  unsigned start, unsigned length) {
    const unsigned mask = ll_shift_(ll_ones_(a->out.bits[at]), start);
    const unsigned low = ll_shift_(ll_ones_(length), start);
    ll_layout c = ll_in_block_(*a);
    const unsigned first = ll_shape_bits_(&c.in);
    for (unsigned k = 0; k < ll_shape_bits_(&a->in); ++k) {
        const unsigned wrong = k < first ? mask & ~low : low;
        c.err = a->basis[k] & wrong ? (unsigned)LL_EBLOCK : c.err;
        c.basis[k] = k < first ? ll_bits_close_(a->basis[k], mask & ~low) : 0u;
    }
    c.offset = ll_bits_close_(a->offset, mask & ~low);
    c.out.bits[at] = (unsigned short)length;
    return c;
}

/* Private: sets what a lane of a scan loads: all partial results of each of its
 * lines, in the registers below the lines. q: the results of a block. */
LL_FN void ll_cluster_lines_(ll_cluster_plan *p, const ll_layout *q, ll_dim d,
                             const ll_cluster_blocks_ *b, unsigned offset) {
    const ll_span_ none = LL_ZERO;
    const unsigned regs = q->in.bits[0];
    const unsigned slot = p->partial + p->results;
    const ll_span_ columns = ll_span_of_columns_(q, 0, regs);
    const ll_span_ lines = ll_span_independent_(&none, &columns);
    const ll_span_ line = ll_span_terms_(&lines, &columns);
    const unsigned blocks = ll_shape_start_(&q->in, 3);
    ll_span_ loaded = ll_span_units_(0, p->partial);
    ll_layout r = *q;
    r.in.bits[0] = 0;
    for (unsigned k = regs; k < ll_shape_bits_(&q->in); ++k) {
        r.basis[k - regs] =
            q->basis[k] |
            (k < blocks ? 0u : ll_shift_(b->number.v[k - blocks], slot));
    }
    for (unsigned k = 0; k < lines.n; ++k) {
        ll_span_push_(&loaded, lines.v[k]);
    }
    ll_more_registers_(&r, loaded.v, loaded.n);
    for (unsigned k = 0; k < regs; ++k) {
        p->line[k] = line.v[k];
    }
    ll_shape out = LL_ZERO;
    out = ll_shape_add_(out, LL_OFFSET, slot);
    r.out = ll_shape_add_(out, d, p->partial);
    r.offset = ll_shift_(offset, slot);
    p->receives = r;
}

/* Private: sets who sends the totals of a block: for each line, the place with
 * the last coordinate. c: the layout of the block. Copies do not send. */
LL_FN void ll_cluster_totals_(ll_cluster_plan *p, const ll_layout *q,
                              const ll_layout *c, unsigned start, ll_dim d,
                              const ll_cluster_blocks_ *b, unsigned offset) {
    const ll_span_ none = LL_ZERO;
    const unsigned regs = c->in.bits[0];
    const unsigned length = c->out.bits[ll_axis_at_(&c->out, d)];
    const unsigned at = p->partial + p->results + b->number.n;
    const ll_span_ units = ll_span_units_(0, regs);
    const ll_span_ images = ll_span_images_(c, &units);
    const ll_span_ reg = ll_span_fresh_(&none, &units, &images);
    ll_span_ x = ll_span_images_(c, &reg);
    ll_layout s = *q;
    s.in.bits[0] = (unsigned short)reg.n;
    for (unsigned k = 0; k < reg.n; ++k) {
        p->reg[k] = reg.v[k];
        s.basis[k] = ll_layout_linear_(q, reg.v[k]);
    }
    for (unsigned k = regs; k < ll_shape_bits_(&q->in); ++k) {
        s.basis[reg.n + k - regs] = q->basis[k];
        ll_span_push_(&x, k < ll_shape_bits_(&c->in) ? c->basis[k] : 0u);
    }
    ll_span_push_(&x, c->offset);
    for (unsigned k = 0; k < regs; ++k) {
        p->x[k] = ll_shift_down_(images.v[k], start) & ll_ones_(length);
    }
    for (unsigned k = 0; k < x.n; ++k) {
        x.v[k] = ll_shift_down_(x.v[k], start) & ll_ones_(length);
    }
    s.offset = offset | ll_shift_(x.v[x.n - 1u], at);
    ll_cluster_sends_(p, s, d, &x, length, b);
}

/* Private: returns 1 if some thread has the last coordinate in a register with
 * this image: all of `ones` from bit `at` on. */
LL_FN int ll_cluster_may_(const ll_layout *s, unsigned image, unsigned at,
                          unsigned ones) {
    ll_span_ reduced = LL_ZERO;
    for (unsigned k = s->in.bits[0]; k < ll_shape_bits_(&s->in); ++k) {
        ll_span_extend_(&reduced, ll_shift_down_(s->basis[k], at) & ones);
    }
    const unsigned x = ll_shift_down_(image ^ s->offset, at) & ones;
    return ll_span_extend_(&reduced, x ^ ones) == 0;
}

/* ll_cluster_scan_by(a, d, element_bits, t, ahead, more): as
 * ll_cluster_scan_of, below. ahead, more: as for ll_cluster_reduce_by. */
LL_FN ll_cluster_plan ll_cluster_scan_by(ll_layout a, ll_dim d,
                                         unsigned element_bits, ll_target t,
                                         unsigned ahead, unsigned more) {
    ll_span_ axis = LL_ZERO;
    const ll_layout all = ll_hardware_(a);
    a = ll_layout_reducible_(a, d, element_bits, &t, &axis);
    ll_cluster_plan p = ll_cluster_for_(&a, element_bits, &t);
    p.scans = 1;
    if (p.err) {
        return p;
    }
    const unsigned at = ll_axis_at_(&all.out, d);
    const unsigned start = ll_shape_start_(&all.out, at);
    const unsigned mask = ll_span_or_(&axis);
    const unsigned first = ll_shape_start_(&all.in, 3);
    const ll_span_ columns = ll_span_of_columns_(&all, 0, first);
    const unsigned length = ll_span_intersect_(&axis, &columns).n;
    const ll_layout c = ll_cluster_below_(&all, at, start, length);
    p.scan = ll_scan_of(c, d, element_bits, t);
    p.err = p.scan.err;
    p.cycles = p.scan.cycles;
    p.wait = p.scan.turned ? 0u
                           : ll_cluster_wait_(&p, p.scan.crosses,
                                              p.scan.between.step[2].op);
    if (!p.err) {
        ll_cluster_blocks_ b = ll_cluster_blocks_of_(&all, mask);
        const ll_layout q = ll_cluster_slots_(&all, mask, &b);
        if (!ll_cluster_fits_(&p, &all, length, &b)) {
            return p;
        }
        for (unsigned k = 0; k < b.number.n; ++k) {
            b.number.v[k] =
                ll_shift_down_(all.basis[first + k] & mask, start + length);
        }
        const unsigned number =
            ll_shift_down_(all.offset & mask, start + length);
        ll_cluster_lines_(&p, &q, d, &b, number);
        ll_cluster_totals_(&p, &q, &c, start, d, &b, number);
        ll_cluster_order_(&p);
    }
    return ll_cluster_placed_(p, ahead, more);
}

/* ll_cluster_reduce_of(a, d, element_bits, t), ll_cluster_scan_of(a, d,
 * element_bits, t): return the plans that combine the elements of layout a
 * along axis d across the blocks of a cluster, as ll_reduce_of and ll_scan_of
 * do. A cluster may have up to twice the blocks that every kernel of the target
 * may use: 16 on sm_90, if the kernel allows it. The blocks may hold any part
 * of the axis of a reduction, other axes and copies; the blocks of a scan hold
 * its upper bits. If one block has all of the axis, blocks send nothing.
 *
 * p.err: as for these functions; LL_EBLOCK also if the coordinates within a
 * block of a scan are not the lowest ones or depend on the block, or if what a
 * block has of the axis of a reduction is not a set of its bits; LL_EBITS also
 * if blocks send 1 MiB or more.
 * Example: ll_cluster_reduce_of(L("lane: j0 j1 j2 j3 j4 | block: j5 j6 j7"),
 *          LL_J, 64, LL_SM90).tree.lanes is 3;
 * Example: ll_cluster_reduce_of(L("lane: j0 j1 j2 j3 j4 | block: j5 j6"), LL_J,
 *                               128, LL_SM90).bytes is 64;
 * Example: ll_cluster_scan_of(L("lane: j0 j1 j2 j3 j4 | block: j5 j6"), LL_J,
 *                             32, LL_SM90).partial is 2;
 * Example: ll_cluster_scan_of(L("lane: j1 j2 j3 j4 j5 | block: j0"), LL_J, 32,
 *                             LL_SM90).err is LL_EBLOCK;
 */
LL_FN ll_cluster_plan ll_cluster_reduce_of(ll_layout a, ll_dim d,
                                           unsigned element_bits,
                                           ll_target t) {
    return ll_cluster_reduce_by(a, d, element_bits, t, 0, 0);
}

LL_FN ll_cluster_plan ll_cluster_scan_of(ll_layout a, ll_dim d,
                                         unsigned element_bits, ll_target t) {
    return ll_cluster_scan_by(a, d, element_bits, t, 0, 0);
}

/* ll_explain_cluster(p, buf, size): writes a plan across blocks in words. */
LL_FN unsigned ll_explain_cluster(ll_cluster_plan p, char *buf,
                                  unsigned size) {
    ll_writer_ w = ll_writer_on_(buf, size);
    if (p.err) {
        ll_write_no_axis_(&w, p.err, &p.lacks);
        return w.len;
    }
    w.len = p.scans ? ll_explain_scan(p.scan, buf, size)
                    : ll_explain_reduce(p.reduce, buf, size);
    if (p.partial) {
        ll_write_(&w, "  between blocks: each of ");
        ll_write_number_(&w, 1u << p.partial);
        ll_write_(&w, " blocks sends ");
        ll_write_count_(&w, 1u << p.results, "result");
        ll_write_(&w, " of ");
        ll_write_count_(&w, p.slot_bytes, "byte");
        ll_write_(&w, " to each of them, in ");
        ll_write_number_(&w, p.buffers);
        ll_write_(&w, " buffers\n");
        if (p.scans) {
            ll_write_(&w, "  each lane combines the results of the preceding "
                          "blocks\n");
        } else {
            ll_write_tree_(&w, &p.tree);
        }
    }
    return w.len;
}

#endif /* LL_CLUSTERS */

/* ---- cluster/moves: Clusters in kernels ------------------------------- */

/* Executes plans across a cluster, in two halves. A block combines its elements
 * and sends the results; later it waits for those of others, and combines. */

#ifdef LL_CLUSTERS
#ifdef LL_DEVICE

/* The parts of a plan. */
template <class P_> struct ll_cluster_reduce_ {
    LL_CONSTANT_ ll_reduce_plan get() { return LL_GET(P_).reduce; }
};

template <class P_> struct ll_cluster_scan_ {
    LL_CONSTANT_ ll_scan_plan get() { return LL_GET(P_).scan; }
};

template <class P_> struct ll_cluster_tree_ {
    static constexpr ll_tree value = LL_GET(P_).tree;
};

/* The maps of where a thread sends to, and of what it receives. */
template <class P_> struct ll_cluster_out_ {
    static constexpr ll_layout value = LL_GET(P_).sends;
    LL_CONSTANT_ ll_map map() { return ll_map_of(ll_thread_map_(value)); }
};

template <class P_> struct ll_cluster_in_ {
    static constexpr ll_layout value = LL_GET(P_).receives;
    LL_CONSTANT_ ll_map map() { return ll_map_of(ll_thread_map_(value)); }
};

template <class MAP_, unsigned R_> struct ll_cluster_register_ {
    enum : unsigned {
        image = ll_vectors_xor_(MAP_::value.basis, MAP_::value.in.bits[0], R_)
    };
};

template <class V_, class P_, class MAP_> LL_DEVICE unsigned ll_cluster_at_() {
    constexpr unsigned bits = ll_log2_(LL_GET(P_).threads);
    constexpr bool far =
        LL_GET(P_).partial != 0 && ll_map_numbers_<MAP_>::used >> bits != 0;
    constexpr unsigned rank = far ? bits : 0u;
    return ll_thread_at_<MAP_>(ll_thread_ranked_<V_, rank>(V_::thread()));
}

/* The shared memory of a turn: the block's own buffer, slots, mbarrier. */
template <class P_> struct ll_cluster_turn_ {
    enum : unsigned {
        buffers = LL_GET(P_).buffers,
        slot = LL_GET(P_).slot_bytes,
        bits = LL_GET(P_).partial + LL_GET(P_).results,
        own_bytes = LL_GET(P_).here_bytes,
        first_slot = LL_GET(P_).slots_at,
        first_bar = LL_GET(P_).bars_at,
        arrives = LL_GET(P_).bytes,
        spare = LL_GET(P_).spare,
        mask = (1u << bits) - 1u,
        stride = ((slot << bits) + 15u) / 16u * 16u
    };
    LL_DEVICE unsigned here(unsigned smem, unsigned turn) {
        return smem + turn % 2u * own_bytes;
    }
    LL_DEVICE unsigned slots(unsigned smem, unsigned turn) {
        return smem + first_slot + turn % buffers * stride;
    }
    LL_DEVICE unsigned bar(unsigned smem, unsigned turn) {
        return smem + first_bar + turn % buffers * 8u;
    }
};

/* Register R of the registers that are sent: its position, and whether some
 * thread may have the last coordinate there. */
template <class P_, unsigned R_> struct ll_cluster_sent_ {
    static constexpr ll_layout sends = LL_GET(P_).sends;
    static constexpr unsigned at =
        LL_GET(P_).partial + LL_GET(P_).results + sends.out.bits[1];
    static constexpr unsigned ones =
        sends.out.n > 2u ? ll_ones_(sends.out.bits[2]) : 0u;
    static constexpr unsigned image =
        ll_cluster_register_<ll_cluster_out_<P_>, R_>::image;
    static constexpr unsigned position = R_ & ((1u << LL_GET(P_).n) - 1u);
    static constexpr unsigned reg =
        ll_vectors_xor_(LL_GET(P_).reg, LL_GET(P_).n, position);
    static constexpr bool may = ll_cluster_may_(&sends, image, at, ones) != 0;
};

/* Stores x to its slot in another block, if this thread sends it. */
template <class V_, class P_, unsigned R_, class T_>
LL_DEVICE void ll_cluster_push_(const T_ &x, unsigned place, unsigned slots,
                                unsigned bar) {
    typedef ll_cluster_sent_<P_, R_> sent;
    typedef ll_cluster_turn_<P_> turn;
    constexpr unsigned ranks = LL_GET(P_).sends.out.bits[1];
    const unsigned y = place ^ sent::image;
    bool on = (V_::thread() & turn::spare) == 0;
    if constexpr (sent::ones != 0) {
        on = on && y >> sent::at == sent::ones;
    }
    if (on) {
        const unsigned to = y >> turn::bits & ((1u << ranks) - 1u);
        ll_words w = {{0}};
        LL_MEMCPY_(w.w, &x, sizeof(T_));
        V_::template push<turn::slot>(
            V_::dsmem(slots + (y & turn::mask) * turn::slot, to), w,
            V_::dsmem(bar, to));
    }
}

/* Sends a result of a reduction, or a scan's total, in the last element. */
template <class V_, class P_, unsigned R_, class STATE_, class OP_>
LL_DEVICE void ll_cluster_push_one_(const STATE_ &state, unsigned place,
                                    unsigned slots, unsigned bar, OP_ op) {
    typedef ll_cluster_sent_<P_, R_> sent;
    if constexpr (LL_GET(P_).scans == 0) {
        ll_cluster_push_<V_, P_, R_>(state.v[sent::position], place, slots,
                                     bar);
    } else if constexpr (sent::may) {
        ll_cluster_push_<V_, P_, R_>(
            STATE_::total(state, sent::reg, sent::ones != 0, op), place, slots,
            bar);
    }
}

template <class V_, class P_, class STATE_, class OP_, unsigned... R_>
LL_DEVICE void ll_cluster_push_all_(const STATE_ &state, unsigned place,
                                    unsigned smem, unsigned turn, OP_ op,
                                    ll_seq_<R_...>) {
    const unsigned slots = ll_cluster_turn_<P_>::slots(smem, turn);
    const unsigned bar = ll_cluster_turn_<P_>::bar(smem, turn);
    (ll_cluster_push_one_<V_, P_, R_>(state, place, slots, bar, op), ...);
}

/* Returns where a thread sends to. It is computed early, because the rank of a
 * block takes a while. ll_cluster_send_ is the end of a sending half. */
template <class V_, class P_> LL_DEVICE unsigned ll_cluster_place_() {
    if constexpr (LL_GET(P_).partial != 0) {
        return ll_cluster_at_<V_, P_, ll_cluster_out_<P_>>();
    } else {
        return 0;
    }
}

template <class V_, class P_, class STATE_, class OP_>
LL_DEVICE void ll_cluster_send_(const STATE_ &state, unsigned place,
                                unsigned smem, unsigned turn, OP_ op) {
    if constexpr (LL_GET(P_).wait != 0) {
        ll_barrier_wait_<V_, LL_GET(P_).wait>();
    }
    if constexpr (LL_GET(P_).partial != 0) {
        ll_cluster_push_all_<V_, P_>(
            state, place, smem, turn, op,
            ll_seq_below_<(1u << LL_GET(P_).sends.in.bits[0])>());
    }
}

/* The start of a receiving half. ll_cluster_slot_ loads a partial result that a
 * lane needs; no block needs the last total of a scan. ll_cluster_slots_ first
 * waits for the turn's mbarrier, and arms it for its next turn. */
template <class V_, class P_, class T_, unsigned R_>
LL_DEVICE T_ ll_cluster_slot_(unsigned slots, unsigned place) {
    typedef ll_cluster_turn_<P_> turn;
    const unsigned y =
        place ^ ll_cluster_register_<ll_cluster_in_<P_>, R_>::image;
    constexpr unsigned last = (1u << LL_GET(P_).partial) - 1u;
    ll_words w = {{0}};
    if constexpr (LL_GET(P_).scans == 0 || (R_ & last) != last) {
        w = V_::template take<LL_FORM_VECTOR, turn::slot>(
            slots + (y & turn::mask) * turn::slot);
    }
    T_ x;
    LL_MEMCPY_(&x, w.w, sizeof(T_));
    return x;
}

template <class V_, class P_, class T_, unsigned... R_>
LL_DEVICE ll_values_<T_, sizeof...(R_)>
ll_cluster_slots_(unsigned place, unsigned smem, unsigned turn,
                  ll_seq_<R_...>) {
    const unsigned bar = ll_cluster_turn_<P_>::bar(smem, turn);
    const unsigned slots = ll_cluster_turn_<P_>::slots(smem, turn);
    V_::wait_bar(bar, turn / ll_cluster_turn_<P_>::buffers % 2u);
    if (V_::thread() == 0) {
        V_::arm_bar(bar, ll_cluster_turn_<P_>::arrives);
    }
    return {{ll_cluster_slot_<V_, P_, T_, R_>(slots, place)...}};
}

template <class V_, class P_, class T_>
LL_DEVICE auto ll_cluster_take_(unsigned place, unsigned smem, unsigned turn) {
    return ll_cluster_slots_<V_, P_, T_>(
        place, smem, turn,
        ll_seq_below_<(1u << LL_GET(P_).receives.in.bits[0])>());
}

/* The two halves of a reduction. */
template <class V_, class P_, class T_, unsigned N_, class OP_>
LL_DEVICE auto ll_cluster_reduce_first_(const T_ (&a)[N_], unsigned smem,
                                        unsigned turn, OP_ op) {
    typedef ll_cluster_reduce_<P_> here;
    const unsigned place = ll_cluster_place_<V_, P_>();
    const unsigned at = ll_cluster_turn_<P_>::here(smem, turn);
    const auto f = ll_reduce_first_<V_, here>(a, at, op);
    ll_barrier_between_<V_, here>();
    const auto g = ll_reduce_between_<V_, here>(f, at, op);
    ll_cluster_send_<V_, P_>(g, place, smem, turn, op);
    return g;
}

template <class V_, class P_, class T_, unsigned N_, unsigned M_, class OP_>
LL_DEVICE void ll_cluster_reduce_second_(T_ (&b)[M_],
                                         const ll_values_<T_, N_> &f,
                                         unsigned smem, unsigned turn,
                                         OP_ op) {
    typedef ll_cluster_reduce_<P_> here;
    if constexpr (LL_GET(P_).partial != 0) {
        const auto all = ll_cluster_take_<V_, P_, T_>(
            ll_cluster_at_<V_, P_, ll_cluster_in_<P_>>(), smem, turn);
        ll_values_hand_out_<here>(
            b, ll_array_combine_<V_, ll_cluster_tree_<P_>>(all.v, op),
            ll_seq_below_<M_>());
    } else {
        ll_values_hand_out_<here>(b, f, ll_seq_below_<M_>());
    }
}

/* Scans: the state of a lane between the halves. For each element it has the
 * scan within its block, with the element (ll_cluster_upto_) or without it
 * (ll_cluster_before_). total() of a line's last element includes that element.
 * more: other elements come before it. */
template <class T_, unsigned N_> struct ll_cluster_upto_ {
    T_ v[N_];
    template <class OP_>
    LL_DEVICE T_ total(const ll_cluster_upto_ &s, unsigned r, bool, OP_) {
        return s.v[r];
    }
    template <class OP_>
    LL_DEVICE T_ of(const ll_cluster_upto_ &s, unsigned r, const T_ &sum,
                    bool any, bool, OP_ op) {
        const T_ all = op(sum, s.v[r]);
        return any ? all : s.v[r];
    }
};

template <class T_, unsigned N_> struct ll_cluster_before_ {
    T_ v[N_], own[N_], first;
    template <class OP_>
    LL_DEVICE T_ total(const ll_cluster_before_ &s, unsigned r, bool more,
                       OP_ op) {
        const T_ all = op(s.v[r], s.own[r]);
        return more ? all : s.own[r];
    }
    template <class OP_>
    LL_DEVICE T_ of(const ll_cluster_before_ &s, unsigned r, const T_ &sum,
                    bool any, bool some, OP_ op) {
        const T_ all = op(sum, s.v[r]);
        const T_ here = some ? s.v[r] : s.first;
        const T_ far = some ? all : sum;
        return any ? far : here;
    }
};

template <class V_, class P_, class T_, unsigned N_, class OP_>
LL_DEVICE ll_cluster_upto_<T_, N_>
ll_cluster_scan_first_(const T_ (&a)[N_], unsigned smem, unsigned turn,
                       OP_ op) {
    ll_cluster_upto_<T_, N_> state;
    const ll_scan_with_own_<OP_> end = {op};
    ll_scan_by_<V_, ll_cluster_scan_<P_>>(
        state.v, a, ll_cluster_turn_<P_>::here(smem, turn), op, end);
    ll_cluster_send_<V_, P_>(state, ll_cluster_place_<V_, P_>(), smem, turn,
                             op);
    return state;
}

template <class V_, class P_, class T_, unsigned N_, class OP_>
LL_DEVICE ll_cluster_before_<T_, N_>
ll_cluster_scan_first_(const T_ (&a)[N_], unsigned smem, unsigned turn, OP_ op,
                       const T_ &first) {
    ll_cluster_before_<T_, N_> state;
    const ll_scan_without_own_<T_> end = {first};
    ll_scan_by_<V_, ll_cluster_scan_<P_>>(
        state.v, a, ll_cluster_turn_<P_>::here(smem, turn), op, end);
    LL_MEMCPY_(state.own, a, sizeof a);
    state.first = first;
    ll_cluster_send_<V_, P_>(state, ll_cluster_place_<V_, P_>(), smem, turn,
                             op);
    return state;
}

/* Combines a line's partial results from blocks before `rank`. */
template <unsigned K_, unsigned LINE_, unsigned PARTIAL_, class T_, unsigned N_,
          class OP_>
LL_DEVICE T_ ll_cluster_sum_(const T_ &sum, const ll_values_<T_, N_> &all,
                             unsigned rank, OP_ op) {
    if constexpr (K_ + 1u < PARTIAL_) {
        const T_ both = op(sum, all.v[LINE_ * PARTIAL_ + K_]);
        const T_ more = K_ < rank ? both : sum;
        return ll_cluster_sum_<K_ + 1, LINE_, PARTIAL_>(more, all, rank, op);
    } else {
        return sum;
    }
}

template <unsigned PARTIAL_, class T_, unsigned N_, class OP_, unsigned... Z_>
LL_DEVICE ll_values_<T_, sizeof...(Z_)>
ll_cluster_sums_(const ll_values_<T_, N_> &all, unsigned rank, OP_ op,
                 ll_seq_<Z_...>) {
    return {{ll_cluster_sum_<1, Z_, PARTIAL_>(all.v[Z_ * PARTIAL_], all, rank,
                                              op)...}};
}

/* The line of register R, and its coordinate within the block. */
template <class P_, unsigned R_> struct ll_cluster_line_ {
    enum : unsigned {
        at = ll_vectors_xor_(LL_GET(P_).line, LL_GET(P_).from_bits, R_),
        x = ll_vectors_xor_(LL_GET(P_).x, LL_GET(P_).from_bits, R_)
    };
};

/* Combines the preceding blocks' sum, if there are ANY, with the state. */
template <class P_, class STATE_, class T_, unsigned N_, unsigned L_,
          class OP_, unsigned... R_>
LL_DEVICE void ll_cluster_scan_out_(T_ (&b)[N_], const STATE_ &state,
                                    const ll_values_<T_, L_> &sum, bool any,
                                    unsigned x, OP_ op, ll_seq_<R_...>) {
    ((b[R_] = STATE_::of(state, R_, sum.v[ll_cluster_line_<P_, R_>::at], any,
                         x != (ll_cluster_line_<P_, R_>::x + 0u), op)),
     ...);
}

template <class V_, class P_, class T_, unsigned N_, class STATE_, class OP_>
LL_DEVICE void ll_cluster_scan_second_(T_ (&b)[N_], const STATE_ &state,
                                       unsigned smem, unsigned turn, OP_ op) {
    constexpr unsigned partial = 1u << LL_GET(P_).partial;
    constexpr unsigned at = ll_cluster_sent_<P_, 0>::at;
    if constexpr (partial > 1u) {
        const unsigned place = ll_cluster_at_<V_, P_, ll_cluster_in_<P_>>();
        const unsigned rank = place >> ll_cluster_turn_<P_>::bits;
        const auto all = ll_cluster_take_<V_, P_, T_>(place, smem, turn);
        const auto sum = ll_cluster_sums_<partial>(
            all, rank, op,
            ll_seq_below_<sizeof all / sizeof all.v[0] / partial>());
        unsigned x = 0;
        if constexpr (ll_cluster_sent_<P_, 0>::ones != 0) {
            x = ll_cluster_at_<V_, P_, ll_cluster_out_<P_>>() >> at;
        }
        ll_cluster_scan_out_<P_>(b, state, sum, rank != 0, x, op,
                                 ll_seq_below_<N_>());
    } else {
        LL_MEMCPY_(b, state.v, sizeof b);
    }
}

/* Asserts and returns whether P is a plan for these arrays (SCANS: a scan). */
template <class P_, class T_, unsigned N_, unsigned M_, bool SCANS_>
LL_FN bool ll_cluster_is_() {
    LL_WANTS_CONSTANT_(P_, ll_cluster_plan,
                       "LL_CLUSTER_REDUCE and LL_CLUSTER_SCAN take the name of "
                       "a plan of LL_CLUSTER_REDUCE_PLAN or "
                       "LL_CLUSTER_SCAN_PLAN");
    if constexpr (ll_constant_is_good_<P_, ll_cluster_plan>()) {
        constexpr unsigned from = 1u << LL_GET(P_).from_bits;
        constexpr unsigned to = 1u << LL_GET(P_).to_bits;
        constexpr bool kind = (LL_GET(P_).scans != 0) == SCANS_;
        static_assert(kind, "ll: LL_CLUSTER_REDUCE takes a plan of "
                            "LL_CLUSTER_REDUCE_PLAN, LL_CLUSTER_SCAN one of "
                            "LL_CLUSTER_SCAN_PLAN");
        constexpr bool bits =
            ll_bits_are_<8 * sizeof(T_), LL_GET(P_).element_bits>();
        constexpr bool taken = ll_regs_are_<N_ ? N_ : from, from>();
        constexpr bool given = ll_regs_are_<M_ ? M_ : to, to>();
        return kind && bits && taken && given;
    } else {
        return false;
    }
}

/* Asserts and returns whether the GPU has the clusters that a plan needs. */
template <class MOVES_, class P_> LL_FN bool ll_cluster_here_() {
    constexpr bool can = MOVES_::clusters != 0 || LL_GET(P_).partial == 0;
    static_assert(can, "ll: LL_CLUSTER_REDUCE and LL_CLUSTER_SCAN: this GPU "
                       "has no clusters (sm_90 and later have them)");
    return can;
}

template <class VENDOR_, class P_>
LL_DEVICE void ll_cluster_begin_(unsigned smem) {
    LL_WANTS_CONSTANT_(P_, ll_cluster_plan,
                       "LL_CLUSTER_BEGIN takes the name of a plan of "
                       "LL_CLUSTER_REDUCE_PLAN or LL_CLUSTER_SCAN_PLAN");
    if constexpr (ll_constant_is_good_<P_, ll_cluster_plan>()) {
        typedef ll_moves_<VENDOR_, LL_GET(P_).lanes> moves;
        LL_ENTER_MOVE_(moves, LL_GET(P_).threads, LL_GET(P_).lanes);
        if constexpr (LL_GET(P_).partial != 0 &&
                      ll_cluster_here_<moves, P_>()) {
            typedef ll_cluster_turn_<P_> turn;
            for (unsigned k = 0; moves::thread() == 0 && k < turn::buffers;
                 ++k) {
                moves::init_bar(turn::bar(smem, k), turn::arrives);
            }
            moves::fence_bars();
            moves::wait_cluster();
        }
    }
}

template <class VENDOR_, class P_> LL_DEVICE void ll_cluster_end_(unsigned) {
    LL_WANTS_CONSTANT_(P_, ll_cluster_plan,
                       "LL_CLUSTER_END takes the name of a plan of "
                       "LL_CLUSTER_REDUCE_PLAN or LL_CLUSTER_SCAN_PLAN");
    if constexpr (ll_constant_is_good_<P_, ll_cluster_plan>()) {
        typedef ll_moves_<VENDOR_, LL_GET(P_).lanes> moves;
        if constexpr (LL_GET(P_).partial != 0 &&
                      ll_cluster_here_<moves, P_>()) {
            moves::wait_cluster();
        }
    }
}

/* The halves. Without a valid plan there is no state. */
template <class VENDOR_, class P_, class T_, unsigned N_, class OP_>
LL_DEVICE auto ll_cluster_reduce_send_(const T_ (&a)[N_], unsigned smem,
                                       unsigned turn, OP_ op) {
    if constexpr (ll_cluster_is_<P_, T_, N_, 0, false>() &&
                  ll_is_op_<OP_, T_>()) {
        typedef ll_moves_<VENDOR_, LL_GET(P_).lanes> moves;
        LL_ENTER_MOVE_(moves, LL_GET(P_).threads, LL_GET(P_).lanes);
        if constexpr (ll_cluster_here_<moves, P_>()) {
            return ll_cluster_reduce_first_<moves, P_>(a, smem, turn, op);
        } else {
            return ll_no_arg_();
        }
    } else {
        return ll_no_arg_();
    }
}

template <class VENDOR_, class P_, class T_, unsigned M_, class STATE_,
          class OP_>
LL_DEVICE void ll_cluster_reduce_receive_(T_ (&b)[M_], const STATE_ &state,
                                          unsigned smem, unsigned turn,
                                          OP_ op) {
    if constexpr (!ll_is_same_<STATE_, ll_no_arg_>::value) {
        if constexpr (ll_cluster_is_<P_, T_, 0, M_, false>()) {
            ll_cluster_reduce_second_<ll_moves_<VENDOR_, LL_GET(P_).lanes>, P_>(
                b, state, smem, turn, op);
        }
    }
}

template <class VENDOR_, class P_, class T_, unsigned N_, class OP_,
          class... FIRST_>
LL_DEVICE auto ll_cluster_scan_send_(const T_ (&a)[N_], unsigned smem,
                                     unsigned turn, OP_ op,
                                     const FIRST_ &...first) {
    if constexpr (ll_cluster_is_<P_, T_, N_, 0, true>() &&
                  ll_is_op_<OP_, T_>()) {
        typedef ll_moves_<VENDOR_, LL_GET(P_).lanes> moves;
        LL_ENTER_MOVE_(moves, LL_GET(P_).threads, LL_GET(P_).lanes);
        if constexpr (ll_cluster_here_<moves, P_>()) {
            return ll_cluster_scan_first_<moves, P_>(a, smem, turn, op,
                                                     T_(first)...);
        } else {
            return ll_no_arg_();
        }
    } else {
        return ll_no_arg_();
    }
}

template <class VENDOR_, class P_, class T_, unsigned M_, class STATE_,
          class OP_>
LL_DEVICE void ll_cluster_scan_receive_(T_ (&b)[M_], const STATE_ &state,
                                        unsigned smem, unsigned turn,
                                        OP_ op) {
    if constexpr (!ll_is_same_<STATE_, ll_no_arg_>::value) {
        if constexpr (ll_cluster_is_<P_, T_, 0, M_, true>()) {
            ll_cluster_scan_second_<ll_moves_<VENDOR_, LL_GET(P_).lanes>, P_>(
                b, state, smem, turn, op);
        }
    }
}

/* Both halves of a reduction or a scan. */
template <class VENDOR_, class P_, class T_, unsigned N_, unsigned M_,
          class OP_>
LL_DEVICE void ll_cluster_reduce_all_(T_ (&b)[M_], const T_ (&a)[N_],
                                      unsigned smem, unsigned turn, OP_ op) {
    const auto state =
        ll_cluster_reduce_send_<VENDOR_, P_>(a, smem, turn, op);
    ll_cluster_reduce_receive_<VENDOR_, P_>(b, state, smem, turn, op);
}

template <class VENDOR_, class P_, class T_, unsigned N_, unsigned M_,
          class OP_>
LL_DEVICE void ll_cluster_reduce_each_(T_ (&c)[M_], const T_ (&a)[N_],
                                       unsigned smem, unsigned turn, OP_ op) {
    if constexpr (ll_cluster_is_<P_, T_, N_, 0, false>()) {
        T_ b[1u << LL_GET(P_).to_bits];
        ll_cluster_reduce_all_<VENDOR_, P_>(b, a, smem, turn, op);
        ll_array_spread_<ll_cluster_reduce_<P_>>(c, b);
    }
}

template <class VENDOR_, class P_, class T_, unsigned N_, unsigned M_,
          class OP_>
LL_DEVICE void ll_cluster_scan_all_(T_ (&b)[M_], const T_ (&a)[N_],
                                    unsigned smem, unsigned turn, OP_ op) {
    const auto state = ll_cluster_scan_send_<VENDOR_, P_>(a, smem, turn, op);
    ll_cluster_scan_receive_<VENDOR_, P_>(b, state, smem, turn, op);
}

template <class VENDOR_, class P_, class T_, unsigned N_, unsigned M_,
          class OP_>
LL_DEVICE void ll_cluster_scan_before_(T_ (&b)[M_], const T_ (&a)[N_],
                                       unsigned smem, unsigned turn, OP_ op,
                                       typename ll_scan_just_<T_>::type first) {
    const auto state =
        ll_cluster_scan_send_<VENDOR_, P_>(a, smem, turn, op, first);
    ll_cluster_scan_receive_<VENDOR_, P_>(b, state, smem, turn, op);
}

LL_NO_MOVE_(ll_cluster_reduce_all_, "LL_CLUSTER_REDUCE(b, a, PLAN, smem, "
            "turn, op): b and a must be arrays of one type, not pointers, "
            "turn a number and op an operation")
LL_NO_MOVE_(ll_cluster_reduce_each_, "LL_CLUSTER_REDUCE_EACH(c, a, PLAN, "
            "smem, turn, op): c and a must be arrays of one type, not "
            "pointers, turn a number and op an operation")
LL_NO_MOVE_(ll_cluster_scan_all_, "LL_CLUSTER_SCAN(b, a, PLAN, smem, turn, "
            "op): b and a must be arrays of one type, not pointers, turn a "
            "number and op an operation")
LL_NO_MOVE_(ll_cluster_scan_before_,
            "LL_CLUSTER_SCAN_BEFORE(b, a, PLAN, "
            "smem, turn, op, first): b and a must be arrays of one type, not "
            "pointers, turn a number, op an operation and first an element")

#endif

/* LL_CLUSTER_REDUCE_PLAN_BY(NAME, LAYOUT, axis, element_bits, target, ahead,
 * more) declares the plan of ll_cluster_reduce_by, and
 * LL_CLUSTER_SCAN_PLAN_BY(..) the plan of ll_cluster_scan_by. */
#define LL_CLUSTER_REDUCE_PLAN_BY(NAME, LAYOUT, axis, element_bits, target, \
                                  ahead, more)                              \
    LL_WANTS_LAYOUT_(LAYOUT)                                                \
    LL_WANTS_AXIS_(NAME, axis)                                              \
    LL_DECLARE_CHECKED_(NAME, ll_cluster_plan, LL_HAS_AXIS_(LAYOUT, axis),  \
                        ll_cluster_reduce_by(LL_LAYOUT_OF_(LAYOUT),         \
                                             LL_AXIS_(axis), element_bits,  \
                                             target, ahead, more))
#define LL_CLUSTER_SCAN_PLAN_BY(NAME, LAYOUT, axis, element_bits, target,   \
                                ahead, more)                                \
    LL_WANTS_LAYOUT_(LAYOUT)                                                \
    LL_WANTS_AXIS_(NAME, axis)                                              \
    LL_DECLARE_CHECKED_(NAME, ll_cluster_plan, LL_HAS_AXIS_(LAYOUT, axis),  \
                        ll_cluster_scan_by(LL_LAYOUT_OF_(LAYOUT),           \
                                           LL_AXIS_(axis), element_bits,    \
                                           target, ahead, more))

/* LL_CLUSTER_REDUCE_PLAN(NAME, LAYOUT, axis, element_bits, target) declares the
 * plan of ll_cluster_reduce_of, and LL_CLUSTER_SCAN_PLAN the plan of
 * ll_cluster_scan_of, as the macros of kernel/sizes do.
 *
 *     LL_CLUSTER_REDUCE_PLAN(SUM, ROW, LL_J, 32, LL_SM90);
 *
 *     __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(SUM)];
 *     LL_CLUSTER_BEGIN(SUM, smem);
 *     for (unsigned turn = 0; turn < rows; ++turn) {
 *         ..
 *         LL_CLUSTER_REDUCE(b, a, SUM, smem, turn, ll_add());
 *         ..
 *     }
 *     LL_CLUSTER_END(SUM, smem);
 *
 * LL_CLUSTER_REDUCE(b, a, PLAN, smem, turn, op) combines registers a, in the
 * plan's layout, along its axis into registers b, in the layout that ll_reduce
 * returns. It does so across all blocks, and otherwise as LL_REDUCE does.
 * LL_CLUSTER_REDUCE_EACH(c, a, ..) also broadcasts the results back to the
 * elements. LL_CLUSTER_SCAN(b, a, PLAN, smem, turn, op) and
 * LL_CLUSTER_SCAN_BEFORE(b, a, PLAN, smem, turn, op, first) are LL_SCAN and
 * LL_SCAN_BEFORE across blocks; b and a may be one array. Elements have up to
 * 16 bytes: three floats are a struct of 16.
 *
 * The layout has the `block` bits of the cluster; without them each block has
 * its own results. In a scan, registers that hold higher bits of the axis than
 * warps do cost a trip through shared memory each way, and shared memory for
 * the whole tile. The order register, lane, register, warp, block avoids both.
 *
 * All threads of all blocks take part, in turns 0, 1, 2 and so on. smem,
 * 16-byte aligned, is at the same address in each block. It is used for nothing
 * else from LL_CLUSTER_BEGIN to LL_CLUSTER_END, which wait for the cluster.
 * Each plan has its own smem. No barrier is needed between turns.
 *
 * Other work fits between the halves:
 *
 *     const auto state = LL_CLUSTER_REDUCE_SEND(a, PLAN, smem, turn, op);
 *     ..
 *     LL_CLUSTER_REDUCE_RECEIVE(b, state, PLAN, smem, turn, op);
 *
 * In the same way LL_CLUSTER_SCAN_SEND(a, PLAN, smem, turn, op), or
 * LL_CLUSTER_SCAN_SEND_BEFORE(a, PLAN, smem, turn, op, first), comes before
 * LL_CLUSTER_SCAN_RECEIVE(b, state, PLAN, smem, turn, op). With `ahead` of 1,
 * turn t + 1 may be sent before turn t is received.
 *
 * LL_CLUSTER_BAR(PLAN, smem, turn) is the address in shared memory of the
 * mbarrier of a turn. It is for `more` bytes that the kernel itself sends to
 * each block before it receives: a thread that waits for the turn then sees
 * them. */
#define LL_CLUSTER_REDUCE_PLAN(NAME, LAYOUT, axis, element_bits, target)    \
    LL_CLUSTER_REDUCE_PLAN_BY(NAME, LAYOUT, axis, element_bits, target, 0, 0)
#define LL_CLUSTER_SCAN_PLAN(NAME, LAYOUT, axis, element_bits, target)      \
    LL_CLUSTER_SCAN_PLAN_BY(NAME, LAYOUT, axis, element_bits, target, 0, 0)
#define LL_CLUSTER_BEGIN(PLAN, smem)                                        \
    LL_MOVE_(ll_cluster_begin_, PLAN, smem)(LL_SHARED_ADDRESS_(smem))
#define LL_CLUSTER_END(PLAN, smem)                                          \
    LL_MOVE_(ll_cluster_end_, PLAN, smem)(LL_SHARED_ADDRESS_(smem))
#define LL_CLUSTER_BAR(PLAN, smem, turn)                                    \
    ll_cluster_turn_<LL_TYPE_(PLAN)>::bar(LL_SHARED_ADDRESS_(smem), turn)
#define LL_CLUSTER_REDUCE(b, a, PLAN, smem, turn, ...)                      \
    LL_MOVE_(ll_cluster_reduce_all_, PLAN, smem)(                           \
        b, a, LL_SHARED_ADDRESS_(smem), turn, LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_CLUSTER_REDUCE_EACH(c, a, PLAN, smem, turn, ...)                 \
    LL_MOVE_(ll_cluster_reduce_each_, PLAN, smem)(                          \
        c, a, LL_SHARED_ADDRESS_(smem), turn, LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_CLUSTER_REDUCE_SEND(a, PLAN, smem, turn, ...)                    \
    LL_MOVE_(ll_cluster_reduce_send_, PLAN, smem)(                          \
        a, LL_SHARED_ADDRESS_(smem), turn, LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_CLUSTER_REDUCE_RECEIVE(b, state, PLAN, smem, turn, ...)          \
    LL_MOVE_(ll_cluster_reduce_receive_, PLAN, smem)(                       \
        b, state, LL_SHARED_ADDRESS_(smem), turn, LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_CLUSTER_SCAN(b, a, PLAN, smem, turn, ...)                        \
    LL_MOVE_(ll_cluster_scan_all_, PLAN, smem)(                             \
        b, a, LL_SHARED_ADDRESS_(smem), turn, LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_CLUSTER_SCAN_BEFORE(b, a, PLAN, smem, turn, ...)                 \
    LL_MOVE_(ll_cluster_scan_before_, PLAN, smem)(                          \
        b, a, LL_SHARED_ADDRESS_(smem), turn, LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_CLUSTER_SCAN_SEND(a, PLAN, smem, turn, ...)                      \
    LL_MOVE_(ll_cluster_scan_send_, PLAN, smem)(                            \
        a, LL_SHARED_ADDRESS_(smem), turn, LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_CLUSTER_SCAN_RECEIVE(b, state, PLAN, smem, turn, ...)            \
    LL_MOVE_(ll_cluster_scan_receive_, PLAN, smem)(                         \
        b, state, LL_SHARED_ADDRESS_(smem), turn, LL_OPTIONAL_ARG_(__VA_ARGS__))
#define LL_CLUSTER_SCAN_SEND_BEFORE(a, PLAN, smem, turn, ...)               \
    LL_MOVE_(ll_cluster_scan_send_, PLAN, smem)(                            \
        a, LL_SHARED_ADDRESS_(smem), turn, LL_OPTIONAL_ARG_(__VA_ARGS__))

#else
#define LL_NO_CLUSTERS_(NAME, ...) LL_ABSENT_PART_(NAME, "LL_CLUSTERS")
#define LL_CLUSTER_REDUCE_PLAN(...) LL_NO_CLUSTERS_(__VA_ARGS__, )
#define LL_CLUSTER_REDUCE_PLAN_BY(...) LL_NO_CLUSTERS_(__VA_ARGS__, )
#define LL_CLUSTER_SCAN_PLAN(...) LL_NO_CLUSTERS_(__VA_ARGS__, )
#define LL_CLUSTER_SCAN_PLAN_BY(...) LL_NO_CLUSTERS_(__VA_ARGS__, )
#define LL_CLUSTER_BEGIN(...) (void)0 /* the plan reports it */
#define LL_CLUSTER_END(...) (void)0
#define LL_CLUSTER_REDUCE(...) (void)0
#define LL_CLUSTER_REDUCE_EACH(...) (void)0
#define LL_CLUSTER_SCAN(...) (void)0
#define LL_CLUSTER_SCAN_BEFORE(...) (void)0
#endif /* LL_CLUSTERS */

/*
 * MIT License
 *
 * Copyright (c) 2026 the ll authors
 *
 * Permission is hereby granted, free of charge, to any person obtaining a copy
 * of this software and associated documentation files (the "Software"), to deal
 * in the Software without restriction, including without limitation the rights
 * to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
 * copies of the Software, and to permit persons to whom the Software is
 * furnished to do so, subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be included in
 * all copies or substantial portions of the Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
 * IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
 * FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
 * AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
 * LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
 * OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
 * SOFTWARE.
 */

#endif
