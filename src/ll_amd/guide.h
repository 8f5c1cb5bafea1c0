/* ---- The guide -------------------------------------------------------- */
#ifndef LL_AMD_GUIDE_H
#define LL_AMD_GUIDE_H

/* What this is.
 *
 * The AMD half of the library, the twin of ll_ptx.h: the same rooms in the
 * same order, and the same names after the prefix. It describes the targets
 * and their instructions, and executes a plan as straight-line code inside the
 * caller's kernel. It needs no ROCm header and works with all of them.
 *
 * | capability                 | here                                      |
 * |----------------------------|-------------------------------------------|
 * | targets                    | ll_amd_target, LL_GFX908 .. LL_GFX1201    |
 * | which target has what      | ll_amd_has, ll_amd_need                   |
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
 * | matrix products            | mfma_f32_.., wmma_f32_.., .. (ll_amd_..)  |
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

/* The functions at a glance.
 *
 * LL_GLANCE_BEGIN
 * target: Targets
 *     ll_amd_target ll_amd_has ll_amd_need
 * operands: Register layouts of matrix instructions
 *     ll_amd_mfma_a ll_amd_mfma_b ll_amd_mfma_c ll_amd_mfma_scale_a
 *     ll_amd_mfma_scale_b ll_amd_smfmac_a ll_amd_smfmac_b ll_amd_smfmac_k
 *     ll_amd_wmma_a ll_amd_wmma_b ll_amd_wmma_c ll_amd_swmmac_a
 *     ll_amd_swmmac_b ll_amd_swmmac_k ll_amd_cbsz ll_amd_blgp ll_amd_index_set
 *     ll_amd_opsel
 * dot: Products for the engine
 *     ll_amd_dot
 * shared: Shared memory layouts the hardware reads
 *     ll_amd_ds_read_tr ll_amd_ds_load_tr
 * instructions/memory: Instructions: memory
 *     ll_amd_ds_read_b8 ll_amd_ds_read_b16 ll_amd_ds_read_b32
 *     ll_amd_ds_read_b64 ll_amd_ds_read_b128 ll_amd_ds_write_b8
 *     ll_amd_ds_write_b16 ll_amd_ds_write_b32 ll_amd_ds_write_b64
 *     ll_amd_ds_write_b128 ll_amd_ds_read2_b32 ll_amd_ds_read2_b64
 *     ll_amd_ds_write2_b32 ll_amd_ds_write2_b64 ll_amd_ds_read_tr16_b64
 *     ll_amd_ds_read_tr8_b64 ll_amd_ds_read_tr4_b64 ll_amd_global_load_b8
 *     ll_amd_global_load_b16 ll_amd_global_load_b32 ll_amd_global_load_b64
 *     ll_amd_global_load_b128 ll_amd_global_store_b8 ll_amd_global_store_b16
 *     ll_amd_global_store_b32 ll_amd_global_store_b64 ll_amd_global_store_b128
 *     ll_amd_global_load_nt_b8 ll_amd_global_load_nt_b16
 *     ll_amd_global_load_nt_b32 ll_amd_global_load_nt_b64
 *     ll_amd_global_load_nt_b128 ll_amd_global_store_nt_b8
 *     ll_amd_global_store_nt_b16 ll_amd_global_store_nt_b32
 *     ll_amd_global_store_nt_b64 ll_amd_global_store_nt_b128
 *     ll_amd_make_buffer_rsrc ll_amd_raw_buffer_load_b8
 *     ll_amd_raw_buffer_load_b16 ll_amd_raw_buffer_load_b32
 *     ll_amd_raw_buffer_load_b64 ll_amd_raw_buffer_load_b128
 *     ll_amd_raw_buffer_store_b8 ll_amd_raw_buffer_store_b16
 *     ll_amd_raw_buffer_store_b32 ll_amd_raw_buffer_store_b64
 *     ll_amd_raw_buffer_store_b128 ll_amd_global_load_lds
 * instructions/lanes: Instructions: lanes
 *     ll_amd_s_barrier ll_amd_wave_barrier LL_AMD_QUAD_PERM ll_amd_update_dpp
 *     ll_amd_mov_dpp8 ll_amd_permlane16 ll_amd_permlanex16 ll_amd_permlane64
 *     ll_amd_permlane16_swap ll_amd_permlane32_swap ll_amd_ds_swizzle
 *     ll_amd_ds_bpermute ll_amd_ds_permute ll_amd_readlane
 *     ll_amd_readfirstlane ll_amd_perm
 * instructions/mfma: Instructions: products of matrices
 *     ll_amd_mfma_f32_32x32x2f32 ll_amd_mfma_f32_16x16x4f32
 *     ll_amd_mfma_f32_32x32x8f16 ll_amd_mfma_f32_16x16x16f16
 *     ll_amd_mfma_f32_32x32x16_f16 ll_amd_mfma_f32_16x16x32_f16
 *     ll_amd_mfma_f32_32x32x4bf16 ll_amd_mfma_f32_16x16x8bf16
 *     ll_amd_mfma_f32_32x32x8bf16_1k ll_amd_mfma_f32_16x16x16bf16_1k
 *     ll_amd_mfma_f32_32x32x16_bf16 ll_amd_mfma_f32_16x16x32_bf16
 *     ll_amd_mfma_i32_32x32x8i8 ll_amd_mfma_i32_16x16x16i8
 *     ll_amd_mfma_i32_32x32x16_i8 ll_amd_mfma_i32_16x16x32_i8
 *     ll_amd_mfma_i32_32x32x32_i8 ll_amd_mfma_i32_16x16x64_i8
 *     ll_amd_mfma_f32_32x32x16_fp8_fp8 ll_amd_mfma_f32_32x32x16_fp8_bf8
 *     ll_amd_mfma_f32_32x32x16_bf8_fp8 ll_amd_mfma_f32_32x32x16_bf8_bf8
 *     ll_amd_mfma_f32_16x16x32_fp8_fp8 ll_amd_mfma_f32_16x16x32_fp8_bf8
 *     ll_amd_mfma_f32_16x16x32_bf8_fp8 ll_amd_mfma_f32_16x16x32_bf8_bf8
 *     ll_amd_mfma_f64_16x16x4f64 ll_amd_wmma_f32_16x16x16_f16_w32
 *     ll_amd_wmma_f32_16x16x16_bf16_w32 ll_amd_wmma_f32_16x16x16_f16_w32_gfx12
 *     ll_amd_wmma_f32_16x16x16_bf16_w32_gfx12
 *     ll_amd_wmma_f32_16x16x16_fp8_fp8_w32_gfx12
 *     ll_amd_wmma_f32_16x16x16_fp8_bf8_w32_gfx12
 *     ll_amd_wmma_f32_16x16x16_bf8_fp8_w32_gfx12
 *     ll_amd_wmma_f32_16x16x16_bf8_bf8_w32_gfx12
 *     ll_amd_wmma_i32_16x16x16_iu8_w32 ll_amd_wmma_i32_16x16x16_iu8_w32_gfx12
 *     ll_amd_mfma_scale_f32_32x32x64_f8f6f4
 *     ll_amd_mfma_scale_f32_16x16x128_f8f6f4
 * LL_GLANCE_END
 */

/* Words and bit order.
 *
 * As in ll.h. AMD's wavefront of 32 or 64 lanes is called a warp here; the word
 * wavefront is kept for a cycle of shared memory (LDS). Blocks are
 * one-dimensional: the low five or six bits of threadIdx.x are the lane, the
 * bits above them the warp. Addresses of shared memory have 32 bits and count
 * bytes. All lanes of a warp call the moves of ll.h together.
 */

#endif
