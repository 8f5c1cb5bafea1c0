/* ---- The guide -------------------------------------------------------- */
#ifndef LL_GUIDE_H
#define LL_GUIDE_H

/* What this is.
 *
 * A layout says which element each register of each lane of each warp holds, or
 * which element lies at each offset of a memory. On a GPU nearly every size is
 * a power of two, and then nearly every layout is a matrix over F2, the field
 * of one bit, that acts on the bits of an index:
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
 * Once a layout is a matrix, an index is computed by a few XORs, a conversion
 * from one layout to another is the solution of a linear system, and an access
 * to shared memory takes 2^(a difference of two ranks) cycles for each phase:
 * without bank conflicts the ranks are equal.
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
 * In a kernel the same functions run inside the compiler:
 *
 *     #include "ll_ptx.h"
 *     LL_LAYOUT(IN, ll_rows(64, 64, 4));
 *     LL_LAYOUT(OUT, ll_trans(ll_rows(64, 64, 4), "j i"));
 *     LL_PLAN(TURN, IN, OUT, 32, LL_SM90);
 *     LL_EXPECT_NO_CONFLICTS(TURN);
 *
 * The lessons in examples/ continue from here.
 */

/* The functions at a glance.
 *
 * Each function's comment has its parameters, its result and its errors; `make
 * reference` collects them in pages. In its examples L("..") is ll_parse(".."),
 * SIZES(8, 4) an array of unsigned numbers, and `is` says that two are equal.
 *
 * LL_GLANCE_BEGIN
 * layout/make: Making layouts
 *     shapes, such as ll_shape_of("j=64 i=64") for 64 rows of 64 columns:
 *         ll_shape_of ll_tensor ll_with ll_size ll_dim_of ll_axis
 *     coordinates in a packed word: ll_pack ll_unpack
 *     from sizes and columns: ll_strided ll_identity ll_zeros ll_zero ll_check
 * layout/parse: Reading text
 *     from text: ll_parse
 * layout/write: Writing text
 *     to text: ll_str ll_strerror
 * layout/eliminate: Elimination
 *     the element of a place; equality: ll_apply ll_is_equal
 * layout/multiply: Products and quotients
 *     products and quotients: ll_mul ll_compose ll_div ll_rdiv
 * layout/solve: Equations and inverses
 *     equations and inverses: ll_solve ll_inv ll_rinv ll_pinv
 *     spaces: ll_rank ll_nullspace ll_image
 * layout/rename: Shape surgery
 *     parts, and other dimensions for the same bits: ll_sub ll_order_in
 *         ll_order_out ll_reshape_in ll_reshape_out ll_flatten_in
 *         ll_flatten_out ll_rename_in ll_rename_out ll_resize_in ll_resize_out
 *         ll_concat_in ll_concat_out
 *     a constant XOR: ll_flip
 * layout/permute: Permutations of bits
 *     permutations of bits: ll_perm_of ll_perm_swap ll_perm_index ll_perm_inv
 *         ll_perm_then ll_permute
 *     a layout as terms of shifts and masks, for kernels: ll_map_of ll_map_at
 * layout/questions: Questions
 *     what is held, and how often: ll_is_injective ll_is_surjective
 *         ll_is_invertible ll_is_distributed ll_is_memory ll_free_bits
 *         ll_reaches
 *     what is contiguous: ll_contiguous ll_along
 *     dimensions that stand apart: ll_is_trivial ll_quotient
 * layout/shapes: Shapes
 *     ll_trans ll_trans_back ll_unsqueeze ll_unsqueeze_back ll_broadcast
 *     ll_broadcast_back ll_reduce ll_reduce_back ll_join ll_split ll_scales_of
 *     ll_scales_each ll_scales_back ll_renumber ll_bitcast
 * layout/families: Layout families
 *     memory: ll_row_major ll_col_major ll_swizzled ll_rotated ll_cute_swizzle
 *     a tile, repeated: ll_tiled ll_cute_tiled
 *     registers that load rows of global memory: ll_rows ll_rows_of LL_ROWS
 *         ll_rows_for
 *     other registers: ll_blocked ll_dpas_a ll_dpas_b ll_dpas_c
 *     orders of a grid of tiles: ll_grid_linear ll_grid_hilbert
 * plan/banks: Banks and their conflicts
 *     ll_vector ll_widest ll_wavefronts
 * plan/tiles: Tiles in memory
 *     ll_tile_of ll_global_of ll_tile_copied ll_registers ll_places
 * plan/choose: The best memory
 *     ll_swizzle
 * plan/absorb: The best order of an axis
 *     ll_preshuffle ll_absorb
 * plan/hops: Renamings and hops
 *     ll_hops_of
 * plan/memory: Plans through memory
 *     ll_for_operand
 * plan/convert: Conversions
 *     ll_plan_of ll_plan_by ll_plan_within ll_plan_through ll_conflicts
 * plan/reduce: Reductions
 *     ll_reduce_of
 * plan/scan: Scans
 *     ll_scan_of
 * plan/gather: Gathers
 *     ll_gather_of ll_gather_by
 * kernel/constants: Constants for kernels
 *     declare: LL_LAYOUT
 *     the value of a name: LL_GET
 * kernel/expect: What constants are checked for
 *     assert: LL_EXPECT_KIND LL_EXPECT_NO_CONFLICTS LL_EXPECT_CYCLES
 *         LL_EXPECT_VECTOR
 * kernel/sizes: Plans and sizes as constants
 *     declare: LL_PLAN LL_PLAN_BY LL_PLAN_WITHIN LL_PLAN_THROUGH
 *         LL_REDUCE_PLAN LL_SCAN_PLAN LL_GATHER_PLAN LL_GATHER_PLAN_BY
 *     sizes of arrays and blocks: LL_REGS LL_WORDS LL_THREADS LL_BLOCKS
 *         LL_SMEM_BYTES
 * kernel/scopes: Scopes
 *     LL_SCOPE LL_IN LL_THREAD LL_BARRIER LL_BARRIER_AT LL_BARRIER_WARP
 *     LL_BARRIER_CLUSTER LL_SYNC
 * kernel/convert: Conversions in kernels
 *     conversions, and their halves: LL_CONVERT LL_STORE_SHARED LL_LOAD_SHARED
 * kernel/reduce: Reductions in kernels
 *     ll_add ll_min ll_max ll_and ll_or ll_xor
 *     LL_REDUCE LL_REDUCE_EACH LL_SPREAD
 *     halves: LL_REDUCE_STORE LL_REDUCE_LOAD
 * kernel/scan: Scans in kernels
 *     LL_SCAN LL_SCAN_BEFORE
 *     halves: LL_SCAN_STORE LL_SCAN_LOAD LL_SCAN_LOAD_BEFORE
 * kernel/tiles: Tiles in kernels
 *     global memory: LL_LOAD LL_STORE LL_LOAD_BY LL_STORE_BY LL_VECTOR
 *         LL_VECTOR_BY
 *     copies to shared memory: LL_COPY LL_COPY_COMMIT LL_COPY_WAIT
 * kernel/gather: Gathers in kernels
 *     LL_GATHER
 *     halves: LL_GATHER_STORE LL_GATHER_LOAD
 * kernel/coordinates: Coordinates in kernels
 *     registers of a lane, and their coordinates: LL_EACH LL_AT
 * text/explain: Explanations
 *     ll_error ll_compare ll_explain ll_explain_matrix ll_explain_reduce
 *     ll_explain_scan ll_explain_gather
 * text/draw: Tables and drawings
 *     ll_table ll_draw
 * sort/plan: Sorts
 *     ll_sort_of ll_top_of ll_explain_sort ll_sort_cycles
 * sort/moves: Sorts in kernels
 *     LL_SORT_PLAN LL_TOP_PLAN LL_SORT ll_up ll_down
 * engine/flat: Engine: flat layouts
 *     ll_engine_begin
 * engine/graph: Engine: graphs
 *     ll_engine_flat_id ll_engine_id ll_engine_layout ll_engine_add
 *     ll_engine_result ll_engine_carry ll_engine_yield ll_engine_loop
 *     ll_engine_fix
 * engine/instructions: Engine: instructions
 *     ll_engine_by ll_engine_memory ll_engine_hint
 * engine/parse: Engine: the text of a graph
 *     ll_engine_parse
 * engine/price: Engine: prices
 *     ll_engine_plan ll_engine_access ll_engine_price
 * engine/result: Engine: the result
 *     ll_engine_solve ll_engine_cost ll_engine_bound ll_engine_optimal
 *     ll_engine_held ll_engine_moves ll_engine_move_at
 * engine/proof: Engine: the proof of a result
 *     ll_engine_check ll_engine_executed ll_engine_pin
 * engine/explain: Engine: explanations
 *     ll_engine_error ll_engine_print ll_engine_explain
 * engine/constant: Engine: graphs as constants
 *     ll_assigned LL_ASSIGN LL_ASSIGN_BY LL_ASSIGNED
 * views/triton_families: Views: families of attributes
 *     ll_from_triton
 * views/cute: Views: CuTe's notation
 *     ll_from_cute ll_foreign_error
 * views/pictures: Views: pictures
 *     ll_view_matrix ll_view_tensor ll_view_hardware ll_padded ll_view_banks
 *     ll_view_padded ll_frames ll_view_frame ll_frame_words ll_cell_at
 *     ll_head_of ll_legend ll_picture
 * reshard/plan: Reshards: plans across GPUs
 *     ll_reshard_strerror ll_topology_of ll_topology_with ll_reshard_sum
 *     ll_reshard_of
 * reshard/rounds: Reshards: bytes and rounds
 *     ll_reshard_bytes ll_reshard_own ll_reshard_rounds ll_reshard_round
 *     ll_reshard_message ll_reshard_within ll_reshard_sent ll_reshard_us
 * reshard/tiles: Reshards: tiles
 *     ll_reshard_tile_of
 * reshard/explain: Reshards: explanations
 *     ll_explain_reshard
 * cluster/plan: Clusters: plans
 *     ll_cluster_reduce_by ll_cluster_scan_by ll_cluster_reduce_of
 *     ll_cluster_scan_of ll_explain_cluster
 * cluster/moves: Clusters: moves
 *     LL_CLUSTER_REDUCE_PLAN_BY LL_CLUSTER_SCAN_PLAN_BY LL_CLUSTER_REDUCE_PLAN
 *     LL_CLUSTER_SCAN_PLAN LL_CLUSTER_BEGIN LL_CLUSTER_END LL_CLUSTER_BAR
 *     LL_CLUSTER_REDUCE LL_CLUSTER_REDUCE_EACH LL_CLUSTER_REDUCE_SEND
 *     LL_CLUSTER_REDUCE_RECEIVE LL_CLUSTER_SCAN LL_CLUSTER_SCAN_BEFORE
 *     LL_CLUSTER_SCAN_SEND LL_CLUSTER_SCAN_RECEIVE LL_CLUSTER_SCAN_SEND_BEFORE
 * LL_GLANCE_END
 */

/* Words and bit order.
 *
 * The words of the interface.
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
 * A size is a count, its logarithm is called `bits`. Memory is counted in
 * bytes.
 *
 * Order. A list of dimensions has the fastest first. A list that has one item
 * for each of the axes i, j, k, .. keeps the order of these letters, which is
 * slowest first, as in the declaration of an array. For 8 rows of 16 columns:
 *
 *     fastest first                       slowest first
 *     ll_shape_of("j=16 i=8"), ll_shape   ll_tensor(2, sizes) of {8, 16}
 *     the tail -> j=16 | i=8 of a text    the tail -> 8x16 of a text
 *     the groups of a text                rows, columns: ll_rows(8, 16, 4)
 *     lists of ll_order_in, ll_tiled      the axes that ll_trans makes i, j, ..
 *
 * Packing. A layout has several input and several output dimensions, each of
 * some number of bits. They are packed into one word in their order: the first,
 * fastest dimension takes the lowest bits. The inputs of a distributed layout
 * are register, lane, warp, block; its outputs are .., j, i, so that the packed
 * output of a matrix is its row-major index.
 *
 * Text. Columns are written from bit 0 up, input by input:
 *
 *     register: j0 i0 | lane: j1 j2 j3 i1 i2 | warp: i3 -> 16x16
 *
 * `0` is a zero column: inputs that differ in that bit hold copies of the same
 * element. `j3^i0` is a column with two bits. A name that ends in a digit takes
 * a dot before the bit: `dim0.3`. The tail `-> 16x16` gives the sizes, slowest
 * first. It is needed only where the columns do not determine them. Where the
 * outputs are not in the usual order (register, lane, warp, block, then the
 * axes from the last letter to the first), or some are absent from the columns,
 * it lists them as the inputs are listed: `-> i=16 | j=16`. The affine part, a
 * constant that is XORed to every output (y = Ax ^ b), is a final group
 * `1: i3^j0`. A name has at most ten of the characters a-z A-Z 0-9 _ and does
 * not start with a digit.
 *
 * The words of the implementation. Linear algebra:
 *
 * span      a list of vectors over F2, standing for the subspace they generate
 * nullspace the inputs that a matrix maps to 0
 * intersect a basis of the vectors that lie in both of two spans
 * project   remove from each vector its component in a given subspace
 * mix       during elimination: which of the original vectors a row is the XOR
 *           of, one bit each
 * coset     y + S, the elements that differ from y by a vector of a subspace S
 *
 * Accesses and memory:
 *
 * place     a packed input: register, lane, warp and block, or an offset
 * position  number of one of a lane's elements in the order in which a step
 *           takes them; each step has its own order of the registers
 * form      the kind of an access: vectors at each lane's address, or the rows
 *           of matrices (ldmatrix, its transposing variants, ds_read_tr)
 * way       form and vector length of the accesses of one side of a conversion
 * piece     neighbours of a row, 4 to 16 bytes, that memory keeps together
 * pass      one of several trips through shared memory that is too small for
 *           the whole tile; each moves the registers that agree in some bits
 * over-read a load of pairs of bytes by lanes that need one byte of each pair
 *           and select it
 *
 * nibble    half of a byte: an element of 4 bits
 * pair      the two elements of 4 bits in a byte
 * apart     of elements of 4 bits: each in the low half of a byte of its own
 *
 * Movement within a warp:
 *
 * hop       one instruction (at most two) that reads a word of another lane
 * swap      one instruction that exchanges a bit of the position with a bit of
 *           the lane number, for two words
 * exchange  a conversion within a warp: selects, rounds of shuffles, selects
 * round     one shuffle in which each lane sends one word and receives one; in
 *           a reduction, one combination with another lane
 *
 * Reductions, scans and gathers:
 *
 * tree      the order in which a warp combines elements: registers of a lane,
 *           then one lane bit per round
 * level     a step of a scan: totals of 2^k elements become those of 2^(k+1)
 * skew      lanes take their registers in different orders, by an XOR with the
 *           lane number, so that they reach different banks at the same time
 *
 * Three more that occur as names:
 *
 * own       of the same thread: own registers, own lane, own warp
 * turned    of a scan: done in another layout, between two conversions
 * by        a distance in bits in a shift; in a function's name, the means by
 *           which it works (ll_step_by_vectors_, ll_plan_by_swaps_)
 */

#endif
