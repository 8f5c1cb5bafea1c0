/* ---- The guide -------------------------------------------------------- */
#ifndef LL_GUIDE_H
#define LL_GUIDE_H

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

#endif
