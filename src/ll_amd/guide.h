/* ---- The guide -------------------------------------------------------- */
#ifndef LL_AMD_GUIDE_H
#define LL_AMD_GUIDE_H

/* What this is.
 *
 * The AMD half of the library, the twin of ll_ptx.h. Rooms that both headers
 * have are in the same order, and functions that both have differ only in the
 * prefix; instructions have the names of the vendor. This header describes the
 * targets and their instructions, and executes a plan as straight-line code
 * inside the caller's kernel. It includes no ROCm header and works beside any
 * of them. `make reference` writes pages with an index of all names by room.
 *
 * | capability                 | here                                      |
 * |----------------------------|-------------------------------------------|
 * | targets                    | ll_amd_target, LL_GFX908 .. LL_GFX1201    |
 * | instructions of a target   | ll_amd_has, ll_amd_need                   |
 * | matrix operands, dense     | ll_amd_mfma_a, ll_amd_wmma_a, .. _c       |
 * | operands of a whole tile   | ll_tiled                                  |
 * | matrix operands, sparse    | ll_amd_smfmac_a, ll_amd_swmmac_a, .. _k   |
 * | scales of a matrix operand | ll_amd_mfma_scale_a, .. _b                |
 * | modifiers of operands      | ll_amd_cbsz, _blgp, _index_set, _opsel    |
 * | transposing loads          | ll_amd_ds_read_tr, ll_amd_ds_load_tr      |
 * | tensor memory              | there is none                             |
 * | swizzled shared memory     | ll_swizzled, ll_rotated                   |
 * | descriptors of such memory | none are needed                           |
 * | single instructions        | update_dpp, ds_read_tr, .. (ll_amd_..)    |
 * | matrix multiply            | mfma_f32_.., wmma_f32_.., .. (ll_amd_..)  |
 * | global memory, 16 bytes    | LL_LOAD, LL_STORE                         |
 * | masked at ragged edges     | LL_LOAD, LL_STORE with rows and columns   |
 * | streaming; 32 bytes        | LL_LOAD_BY, LL_STORE_BY (16 bytes)        |
 * | shared memory, 16 bytes    | LL_STORE_SHARED, LL_LOAD_SHARED           |
 * | global to shared memory    | LL_COPY (by registers)                    |
 * | any layout to any other    | LL_CONVERT: DPP, swaps, LDS permutes,     |
 * |                            | byte permutes, ds_read_tr, vectors        |
 * | clusters of blocks         | there are none                            |
 * | reduction, scan on an axis | LL_REDUCE, LL_SCAN                        |
 * | gather along an axis       | LL_GATHER                                 |
 */

/* A complete example.
 *
 *     #include "ll_amd.h"
 *
 *     LL_LAYOUT(IN, LL_ROWS(.rows = 64, .cols = 64, .lanes = 64));
 *     LL_LAYOUT(OUT, LL_ROWS(.rows = 64, .cols = 64, .lanes = 64));
 *     LL_LAYOUT(TURNED, ll_trans(LL_GET(OUT), "j i"));
 *     LL_PLAN(TURN, IN, TURNED, 32, LL_GFX942);
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
 * n is a multiple of 64. Launch a grid of n/64 x n/64 blocks of 256 threads.
 */

/* Words and bit order.
 *
 * As in ll.h. AMD's wavefront of 32 or 64 lanes is called a warp here; the word
 * wavefront means a cycle of shared memory (LDS). Blocks are one-dimensional:
 * the low five or six bits of threadIdx.x are the lane, the bits above them the
 * warp. Shared memory addresses are 32-bit byte addresses. All lanes of a warp
 * call LL_LOAD and the other macros of ll.h together.
 */

#endif
