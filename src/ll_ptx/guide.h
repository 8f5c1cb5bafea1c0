/* ---- The guide -------------------------------------------------------- */
#ifndef LL_PTX_GUIDE_H
#define LL_PTX_GUIDE_H

/* What this is.
 *
 * The NVIDIA half of the library. ll.h chooses layouts, memory layouts,
 * accesses and their order. This header describes the targets and their
 * instructions, and executes a plan as straight-line PTX inside the caller's
 * kernel. Host code may include it together with ll_amd.h: everything but the
 * instructions and the code that uses them is plain data and plain functions.
 * `make reference` writes pages with an index of all names by room.
 *
 * | capability                 | here                                      |
 * |----------------------------|-------------------------------------------|
 * | targets                    | ll_ptx_target, LL_SM75 .. LL_SM121        |
 * | instructions of a target   | ll_ptx_has, ll_ptx_need                   |
 * | matrix operands, dense     | ll_ptx_fragment_a, ll_ptx_quad_a, .. _c   |
 * | operands of a whole tile   | ll_ptx_mma_a, ll_ptx_wgmma_a, .. _c or _d |
 * | matrix operands, sparse    | ll_ptx_fragment_a, ll_ptx_sparse_e        |
 * | scales of a matrix operand | ll_ptx_scale_a, .. _b                     |
 * | modifiers of operands      | none are needed                           |
 * | transposing loads          | ll_ptx_matrix, .. _rows                   |
 * | tensor memory              | ll_ptx_tmem, ll_ptx_tcgen05_d             |
 * | swizzled shared memory     | ll_ptx_smem_k, .. _mn, ll_ptx_tma         |
 * | descriptors of such memory | ll_ptx_desc_of, .. _slice, .. _wgmma      |
 * | tensor maps of such memory | ll_ptx_tma_of, ll_ptx_tensor_of, .. _box  |
 * | single instructions        | ldmatrix, shfl, cp.async, .. (ll_ptx_..)  |
 * | matrix multiply            | LL_MMA, wgmma, tcgen05 (with LL_MATRIX)   |
 * | conversions of types       | LL_CAST                                   |
 * | unpacking small numbers    | ll_ptx_twiddled, .. _untwiddle            |
 * | shared to shared memory    | ll_ptx_between                            |
 * | tensor copies, mbarrier    | cp.async.bulk, mbarrier                   |
 * | global memory, 16 bytes    | LL_LOAD, LL_STORE                         |
 * | masked at ragged edges     | LL_LOAD, LL_STORE with rows and columns   |
 * | streaming; 32 bytes        | LL_LOAD_BY, LL_STORE_BY                   |
 * | shared memory, 16 bytes    | LL_STORE_SHARED, LL_LOAD_SHARED           |
 * | global to shared memory    | LL_COPY (cp.async)                        |
 * | any layout to any other    | LL_CONVERT: shuffles, byte permutes,      |
 * |                            | ldmatrix, stmatrix, vectors               |
 * | clusters of blocks         | LL_CONVERT (sm_90 and later)              |
 * | reduction, scan on an axis | LL_REDUCE, LL_SCAN                        |
 * | gather along an axis       | LL_GATHER                                 |
 */

/* A complete example.
 *
 *     #include "ll_ptx.h"
 *
 *     LL_LAYOUT(IN, ll_rows(64, 64, 4));
 *     LL_LAYOUT(OUT, ll_rows(64, 64, 4));
 *     LL_LAYOUT(TURNED, ll_trans(LL_GET(OUT), "j i"));
 *     LL_PLAN(TURN, IN, TURNED, 32, LL_SM90);
 *     LL_EXPECT_NO_CONFLICTS(TURN);
 *
 *     __global__ void transpose(float *dst, const float *src, unsigned n) {
 *         __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN)];
 *         float a[LL_REGS(IN)], b[LL_REGS(OUT)];
 *         unsigned i = blockIdx.y * 64, j = blockIdx.x * 64;
 *         LL_LOAD(a, IN, src + i * n + j, n);
 *         LL_CONVERT(b, a, TURN, smem);
 *         LL_STORE(b, OUT, dst + j * n + i, n);
 *     }
 *
 * n is a multiple of 64. Launch a grid of n/64 x n/64 blocks of 128 threads.
 * examples/kernels/move/transpose.cu is the complete program.
 */

/* Words and bit order.
 *
 * As in ll.h. Blocks are one-dimensional: the low five bits of threadIdx.x are
 * the lane, the bits above them the warp. A block has exactly the
 * LL_THREADS(LAYOUT) threads of the layouts that it uses.
 *
 * Shared memory addresses are 32-bit byte addresses. A `word` has 32 bits.
 * Element k of an access starts at its byte k * size, as in memory.
 */

#endif
