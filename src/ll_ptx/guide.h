/* ---- The guide -------------------------------------------------------- */
#ifndef LL_PTX_GUIDE_H
#define LL_PTX_GUIDE_H

/* What this is.
 *
 * The NVIDIA half of the library. ll.h chooses layouts, memory layouts,
 * accesses and their order. This header describes the targets and their
 * instructions, and executes a plan as straight-line PTX inside the caller's
 * kernel. Host code may include it together with ll_amd.h: all but the
 * instructions and what uses them is plain data and functions of it.
 *
 * | capability                 | here                                      |
 * |----------------------------|-------------------------------------------|
 * | targets                    | ll_ptx_target, LL_SM75 .. LL_SM121        |
 * | which target has what      | ll_ptx_has, ll_ptx_need                   |
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
 * | matrix products            | LL_MMA, wgmma, tcgen05 (with LL_MATRIX)   |
 * | numbers of other types     | LL_CAST                                   |
 * | words of small numbers     | ll_ptx_twiddled, .._untwiddle             |
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

/* The functions at a glance.
 *
 * LL_GLANCE_BEGIN
 * target: Targets
 *     ll_ptx_target ll_ptx_family ll_ptx_has ll_ptx_need
 * operands: Register layouts of matrix instructions
 *     ll_ptx_fragment_a ll_ptx_fragment_b ll_ptx_fragment_c ll_ptx_quad_a
 *     ll_ptx_quad_b ll_ptx_quad_c ll_ptx_sparse_e ll_ptx_scale_a
 *     ll_ptx_scale_b ll_ptx_mma_a ll_ptx_mma_b ll_ptx_mma_c ll_ptx_wgmma_a
 *     ll_ptx_wgmma_d ll_ptx_matrix ll_ptx_matrix_rows ll_ptx_tmem
 *     ll_ptx_tmem_x2 ll_ptx_tcgen05_d
 * twiddle: Words of small numbers
 *     ll_ptx_untwiddle ll_ptx_twiddled
 * swizzle_modes: Shared memory layouts the hardware reads
 *     ll_ptx_tma ll_ptx_smem_k ll_ptx_smem_mn
 * dot: Products for the engine
 *     ll_ptx_dot
 * descriptors: Descriptors of shared memory
 *     ll_ptx_desc_places ll_ptx_desc_of ll_ptx_desc_slice ll_ptx_desc_wgmma
 *     ll_ptx_desc_tcgen05
 * tensor_maps: Tensor maps
 *     ll_ptx_tma_of ll_ptx_tensor_of ll_ptx_tensor_box
 * slices: Slices and multicasts
 *     ll_ptx_stage ll_ptx_multicast_of ll_ptx_multicast_box
 * between: Shared to shared memory
 *     ll_ptx_between
 * idesc: Instruction descriptors
 *     ll_ptx_idesc_of ll_ptx_idesc_scales
 * constants: Constants that the hardware takes
 *     LL_DESCRIPTOR LL_TENSOR_MAP LL_TWIDDLE LL_INSTRUCTION
 * instructions/memory: Instructions: memory
 *     ll_ptx_ld_shared_b8 ll_ptx_ld_shared_b16 ll_ptx_ld_shared_b32
 *     ll_ptx_ld_shared_b64 ll_ptx_ld_shared_b128 ll_ptx_st_shared_b8
 *     ll_ptx_st_shared_b16 ll_ptx_st_shared_b32 ll_ptx_st_shared_b64
 *     ll_ptx_st_shared_b128 ll_ptx_ldmatrix_m8n8_x1 ll_ptx_ldmatrix_m8n8_x2
 *     ll_ptx_ldmatrix_m8n8_x4 ll_ptx_ldmatrix_m8n8_x1_trans
 *     ll_ptx_ldmatrix_m8n8_x2_trans ll_ptx_ldmatrix_m8n8_x4_trans
 *     ll_ptx_ldmatrix_m16n16_x1_trans ll_ptx_ldmatrix_m16n16_x2_trans
 *     ll_ptx_stmatrix_m8n8_x1 ll_ptx_stmatrix_m8n8_x2 ll_ptx_stmatrix_m8n8_x4
 *     ll_ptx_stmatrix_m8n8_x1_trans ll_ptx_stmatrix_m8n8_x2_trans
 *     ll_ptx_stmatrix_m8n8_x4_trans ll_ptx_stmatrix_m16n8_x1_trans
 *     ll_ptx_stmatrix_m16n8_x2_trans ll_ptx_stmatrix_m16n8_x4_trans
 *     ll_ptx_ld_global_b8 ll_ptx_ld_global_b16 ll_ptx_ld_global_b32
 *     ll_ptx_ld_global_b64 ll_ptx_ld_global_b128 ll_ptx_ld_global_b256
 *     ll_ptx_ld_global_no_allocate_b8 ll_ptx_ld_global_no_allocate_b16
 *     ll_ptx_ld_global_no_allocate_b32 ll_ptx_ld_global_no_allocate_b64
 *     ll_ptx_ld_global_no_allocate_b128 ll_ptx_ld_global_no_allocate_b256
 *     ll_ptx_ld_global_nc_b128 ll_ptx_st_global_b8 ll_ptx_st_global_b16
 *     ll_ptx_st_global_b32 ll_ptx_st_global_b64 ll_ptx_st_global_b128
 *     ll_ptx_st_global_b256 ll_ptx_st_global_no_allocate_b8
 *     ll_ptx_st_global_no_allocate_b16 ll_ptx_st_global_no_allocate_b32
 *     ll_ptx_st_global_no_allocate_b64 ll_ptx_st_global_no_allocate_b128
 *     ll_ptx_st_global_no_allocate_b256 ll_ptx_cp_async_ca_b32
 *     ll_ptx_cp_async_ca_b64 ll_ptx_cp_async_ca_b128 ll_ptx_cp_async_cg_b128
 *     ll_ptx_cp_async_ca_b32_fill ll_ptx_cp_async_ca_b64_fill
 *     ll_ptx_cp_async_ca_b128_fill ll_ptx_cp_async_cg_b128_fill
 *     ll_ptx_cp_async_commit_group ll_ptx_cp_async_wait_group
 *     ll_ptx_fence_proxy_async
 * instructions/lanes: Instructions: lanes and barriers
 *     ll_ptx_bar_warp ll_ptx_bar ll_ptx_bar_named ll_ptx_bar_at
 *     ll_ptx_cluster_ctarank ll_ptx_mapa ll_ptx_ld_shared_cluster_b8
 *     ll_ptx_ld_shared_cluster_b16 ll_ptx_ld_shared_cluster_b32
 *     ll_ptx_ld_shared_cluster_b64 ll_ptx_ld_shared_cluster_b128
 *     ll_ptx_barrier_cluster_arrive ll_ptx_barrier_cluster_arrive_relaxed
 *     ll_ptx_barrier_cluster_wait ll_ptx_shfl_idx ll_ptx_shfl_bfly
 *     ll_ptx_shfl_up ll_ptx_shfl_down ll_ptx_redux_add_u32
 *     ll_ptx_redux_min_u32 ll_ptx_redux_max_u32 ll_ptx_redux_min_s32
 *     ll_ptx_redux_max_s32 ll_ptx_redux_and_b32 ll_ptx_redux_or_b32
 *     ll_ptx_redux_xor_b32 ll_ptx_movmatrix ll_ptx_prmt ll_ptx_selp ll_ptx_mad
 *     ll_ptx_mad_if
 * instructions/copies: Instructions: copies and mbarriers
 *     ll_ptx_mbarrier_init ll_ptx_mbarrier_inval ll_ptx_fence_mbarrier_init
 *     ll_ptx_mbarrier_expect_tx ll_ptx_mbarrier_arrive
 *     ll_ptx_mbarrier_arrive_expect_tx ll_ptx_mbarrier_arrive_cluster
 *     ll_ptx_mbarrier_arrive_cluster_relaxed ll_ptx_cp_async_mbarrier_arrive
 *     ll_ptx_mbarrier_try_wait ll_ptx_mbarrier_test_wait ll_ptx_mbarrier_wait
 *     ll_ptx_st_async_b32 ll_ptx_st_async_b64 ll_ptx_st_async_b128
 *     ll_ptx_cp_async_bulk_load ll_ptx_cp_async_bulk_load_multicast
 *     ll_ptx_cp_async_bulk_store ll_ptx_cp_async_bulk_commit_group
 *     ll_ptx_cp_async_bulk_wait_group ll_ptx_cp_async_bulk_wait_group_read
 *     ll_ptx_cp_async_bulk_tensor_load_1d ll_ptx_cp_async_bulk_tensor_load_2d
 *     ll_ptx_cp_async_bulk_tensor_load_3d ll_ptx_cp_async_bulk_tensor_load_4d
 *     ll_ptx_cp_async_bulk_tensor_load_5d
 *     ll_ptx_cp_async_bulk_tensor_load_multicast_1d
 *     ll_ptx_cp_async_bulk_tensor_load_multicast_2d
 *     ll_ptx_cp_async_bulk_tensor_load_multicast_3d
 *     ll_ptx_cp_async_bulk_tensor_load_multicast_4d
 *     ll_ptx_cp_async_bulk_tensor_load_multicast_5d
 *     ll_ptx_cp_async_bulk_tensor_store_1d
 *     ll_ptx_cp_async_bulk_tensor_store_2d
 *     ll_ptx_cp_async_bulk_tensor_store_3d
 *     ll_ptx_cp_async_bulk_tensor_store_4d
 *     ll_ptx_cp_async_bulk_tensor_store_5d ll_ptx_prefetch_tensormap
 *     ll_ptx_cp_async_bulk_prefetch ll_ptx_cp_async_bulk_prefetch_tensor_2d
 * instructions/threads: Instructions: threads and launches
 *     ll_ptx_setmaxnreg_inc ll_ptx_setmaxnreg_dec ll_ptx_griddepcontrol_wait
 *     ll_ptx_griddepcontrol_launch_dependents ll_ptx_elect
 *     ll_ptx_bar_arrive_at
 * instructions/convert: Instructions: conversions of numbers
 *     ll_ptx_ex2 ll_ptx_cvt_f16x2 ll_ptx_cvt_bf16x2 ll_ptx_cvt_f16x2_e4m3x2
 *     ll_ptx_cvt_f32_f16_low ll_ptx_cvt_f32_f16_high ll_ptx_cvt_e4m3x2
 *     ll_ptx_cvt_e5m2x2 ll_ptx_cvt_e2m3x2 ll_ptx_cvt_e3m2x2 ll_ptx_cvt_e2m1x2
 *     ll_ptx_cvt_e4m3x2_f16x2 ll_ptx_cvt_e5m2x2_f16x2 ll_ptx_cvt_rni_s32
 *     ll_ptx_cvt_pack_s8 ll_ptx_cvt_pack_u8 ll_ptx_cvt_pack_s4
 *     ll_ptx_cvt_pack_u4 ll_ptx_fma_f16x2 ll_ptx_fma_bf16x2
 * instructions/mma: Instructions: mma
 *     ll_ptx_mma_m16n8k8_f32_f16 ll_ptx_mma_m16n8k16_f32_f16
 *     ll_ptx_mma_m16n8k8_f32_bf16 ll_ptx_mma_m16n8k16_f32_bf16
 *     ll_ptx_mma_m16n8k8_f16_f16 ll_ptx_mma_m16n8k16_f16_f16
 *     ll_ptx_mma_m16n8k4_f32_tf32 ll_ptx_mma_m16n8k8_f32_tf32
 *     ll_ptx_mma_m8n8k4_f64_f64 ll_ptx_mma_m16n8k4_f64_f64
 *     ll_ptx_mma_m16n8k8_f64_f64 ll_ptx_mma_m16n8k16_f64_f64
 *     ll_ptx_mma_m8n8k4_f32_f16_row_row ll_ptx_mma_m8n8k4_f32_f16_row_col
 *     ll_ptx_mma_m8n8k4_f32_f16_col_row ll_ptx_mma_m8n8k4_f32_f16_col_col
 *     ll_ptx_mma_m8n8k4_f16_f16_row_row ll_ptx_mma_m8n8k4_f16_f16_row_col
 *     ll_ptx_mma_m8n8k4_f16_f16_col_row ll_ptx_mma_m8n8k4_f16_f16_col_col
 *     ll_ptx_mma_m8n8k16_s32_s8 ll_ptx_mma_m16n8k16_s32_s8
 *     ll_ptx_mma_m16n8k32_s32_s8 ll_ptx_mma_m8n8k16_s32_s8_u8
 *     ll_ptx_mma_m16n8k16_s32_s8_u8 ll_ptx_mma_m16n8k32_s32_s8_u8
 *     ll_ptx_mma_m8n8k16_s32_u8_s8 ll_ptx_mma_m16n8k16_s32_u8_s8
 *     ll_ptx_mma_m16n8k32_s32_u8_s8 ll_ptx_mma_m8n8k16_s32_u8
 *     ll_ptx_mma_m16n8k16_s32_u8 ll_ptx_mma_m16n8k32_s32_u8
 *     ll_ptx_mma_m8n8k32_s32_s4 ll_ptx_mma_m16n8k32_s32_s4
 *     ll_ptx_mma_m16n8k64_s32_s4 ll_ptx_mma_m8n8k32_s32_s4_u4
 *     ll_ptx_mma_m16n8k32_s32_s4_u4 ll_ptx_mma_m16n8k64_s32_s4_u4
 *     ll_ptx_mma_m8n8k32_s32_u4_s4 ll_ptx_mma_m16n8k32_s32_u4_s4
 *     ll_ptx_mma_m16n8k64_s32_u4_s4 ll_ptx_mma_m8n8k32_s32_u4
 *     ll_ptx_mma_m16n8k32_s32_u4 ll_ptx_mma_m16n8k64_s32_u4
 *     ll_ptx_mma_m8n8k128_s32_b1_and_popc ll_ptx_mma_m16n8k128_s32_b1_and_popc
 *     ll_ptx_mma_m16n8k256_s32_b1_and_popc ll_ptx_mma_m8n8k128_s32_b1_xor_popc
 *     ll_ptx_mma_m16n8k128_s32_b1_xor_popc
 *     ll_ptx_mma_m16n8k256_s32_b1_xor_popc ll_ptx_mma_m16n8k16_f32_e4m3
 *     ll_ptx_mma_m16n8k16_f16_e4m3 ll_ptx_mma_m16n8k32_f32_e4m3
 *     ll_ptx_mma_m16n8k32_f16_e4m3 ll_ptx_mma_m16n8k16_f32_e4m3_e5m2
 *     ll_ptx_mma_m16n8k16_f16_e4m3_e5m2 ll_ptx_mma_m16n8k32_f32_e4m3_e5m2
 *     ll_ptx_mma_m16n8k32_f16_e4m3_e5m2 ll_ptx_mma_m16n8k16_f32_e5m2_e4m3
 *     ll_ptx_mma_m16n8k16_f16_e5m2_e4m3 ll_ptx_mma_m16n8k32_f32_e5m2_e4m3
 *     ll_ptx_mma_m16n8k32_f16_e5m2_e4m3 ll_ptx_mma_m16n8k16_f32_e5m2
 *     ll_ptx_mma_m16n8k16_f16_e5m2 ll_ptx_mma_m16n8k32_f32_e5m2
 *     ll_ptx_mma_m16n8k32_f16_e5m2 ll_ptx_mma_m16n8k32_f32_e2m1_f8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e2m1_e2m3_f8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e2m1_e3m2_f8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e2m1_e4m3_f8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e2m1_e5m2_f8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e2m3_e2m1_f8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e2m3_f8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e2m3_e3m2_f8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e2m3_e4m3_f8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e2m3_e5m2_f8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e3m2_e2m1_f8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e3m2_e2m3_f8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e3m2_f8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e3m2_e4m3_f8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e3m2_e5m2_f8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e4m3_e2m1_f8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e4m3_e2m3_f8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e4m3_e3m2_f8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e4m3_f8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e4m3_e5m2_f8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e5m2_e2m1_f8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e5m2_e2m3_f8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e5m2_e3m2_f8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e5m2_e4m3_f8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e5m2_f8f6f4 ll_ptx_mma_m16n8k32_f16_e2m1_f8f6f4
 *     ll_ptx_mma_m16n8k32_f16_e2m1_e2m3_f8f6f4
 *     ll_ptx_mma_m16n8k32_f16_e2m1_e3m2_f8f6f4
 *     ll_ptx_mma_m16n8k32_f16_e2m1_e4m3_f8f6f4
 *     ll_ptx_mma_m16n8k32_f16_e2m1_e5m2_f8f6f4
 *     ll_ptx_mma_m16n8k32_f16_e2m3_e2m1_f8f6f4
 *     ll_ptx_mma_m16n8k32_f16_e2m3_f8f6f4
 *     ll_ptx_mma_m16n8k32_f16_e2m3_e3m2_f8f6f4
 *     ll_ptx_mma_m16n8k32_f16_e2m3_e4m3_f8f6f4
 *     ll_ptx_mma_m16n8k32_f16_e2m3_e5m2_f8f6f4
 *     ll_ptx_mma_m16n8k32_f16_e3m2_e2m1_f8f6f4
 *     ll_ptx_mma_m16n8k32_f16_e3m2_e2m3_f8f6f4
 *     ll_ptx_mma_m16n8k32_f16_e3m2_f8f6f4
 *     ll_ptx_mma_m16n8k32_f16_e3m2_e4m3_f8f6f4
 *     ll_ptx_mma_m16n8k32_f16_e3m2_e5m2_f8f6f4
 *     ll_ptx_mma_m16n8k32_f16_e4m3_e2m1_f8f6f4
 *     ll_ptx_mma_m16n8k32_f16_e4m3_e2m3_f8f6f4
 *     ll_ptx_mma_m16n8k32_f16_e4m3_e3m2_f8f6f4
 *     ll_ptx_mma_m16n8k32_f16_e4m3_f8f6f4
 *     ll_ptx_mma_m16n8k32_f16_e4m3_e5m2_f8f6f4
 *     ll_ptx_mma_m16n8k32_f16_e5m2_e2m1_f8f6f4
 *     ll_ptx_mma_m16n8k32_f16_e5m2_e2m3_f8f6f4
 *     ll_ptx_mma_m16n8k32_f16_e5m2_e3m2_f8f6f4
 *     ll_ptx_mma_m16n8k32_f16_e5m2_e4m3_f8f6f4
 *     ll_ptx_mma_m16n8k32_f16_e5m2_f8f6f4
 * instructions/mma_sparse: Instructions: mma with a sparse A
 *     ll_ptx_mma_sp_m16n8k16_f32_f16 ll_ptx_mma_sp_m16n8k16_f16_f16
 *     ll_ptx_mma_sp_m16n8k16_f32_bf16 ll_ptx_mma_sp_m16n8k32_f32_f16
 *     ll_ptx_mma_sp_m16n8k32_f16_f16 ll_ptx_mma_sp_m16n8k32_f32_bf16
 *     ll_ptx_mma_sp_m16n8k8_f32_tf32 ll_ptx_mma_sp_m16n8k16_f32_tf32
 *     ll_ptx_mma_sp_m16n8k32_s32_s8 ll_ptx_mma_sp_m16n8k32_s32_s8_u8
 *     ll_ptx_mma_sp_m16n8k32_s32_u8_s8 ll_ptx_mma_sp_m16n8k32_s32_u8
 *     ll_ptx_mma_sp_m16n8k64_s32_s8 ll_ptx_mma_sp_m16n8k64_s32_s8_u8
 *     ll_ptx_mma_sp_m16n8k64_s32_u8_s8 ll_ptx_mma_sp_m16n8k64_s32_u8
 *     ll_ptx_mma_sp_m16n8k64_s32_s4 ll_ptx_mma_sp_m16n8k64_s32_s4_u4
 *     ll_ptx_mma_sp_m16n8k64_s32_u4_s4 ll_ptx_mma_sp_m16n8k64_s32_u4
 *     ll_ptx_mma_sp_m16n8k128_s32_s4 ll_ptx_mma_sp_m16n8k128_s32_s4_u4
 *     ll_ptx_mma_sp_m16n8k128_s32_u4_s4 ll_ptx_mma_sp_m16n8k128_s32_u4
 *     ll_ptx_mma_sp_m16n8k64_f32_e4m3 ll_ptx_mma_sp_m16n8k64_f16_e4m3
 *     ll_ptx_mma_sp_m16n8k64_f32_e4m3_e5m2
 *     ll_ptx_mma_sp_m16n8k64_f16_e4m3_e5m2
 *     ll_ptx_mma_sp_m16n8k64_f32_e5m2_e4m3
 *     ll_ptx_mma_sp_m16n8k64_f16_e5m2_e4m3 ll_ptx_mma_sp_m16n8k64_f32_e5m2
 *     ll_ptx_mma_sp_m16n8k64_f16_e5m2 ll_ptx_mma_sp_m16n8k64_f32_e2m1_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f16_e2m1_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e2m1_e2m3_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f16_e2m1_e2m3_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e2m1_e3m2_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f16_e2m1_e3m2_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e2m1_e4m3_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f16_e2m1_e4m3_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e2m1_e5m2_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f16_e2m1_e5m2_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e2m3_e2m1_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f16_e2m3_e2m1_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e2m3_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f16_e2m3_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e2m3_e3m2_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f16_e2m3_e3m2_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e2m3_e4m3_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f16_e2m3_e4m3_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e2m3_e5m2_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f16_e2m3_e5m2_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e3m2_e2m1_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f16_e3m2_e2m1_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e3m2_e2m3_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f16_e3m2_e2m3_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e3m2_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f16_e3m2_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e3m2_e4m3_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f16_e3m2_e4m3_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e3m2_e5m2_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f16_e3m2_e5m2_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e4m3_e2m1_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f16_e4m3_e2m1_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e4m3_e2m3_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f16_e4m3_e2m3_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e4m3_e3m2_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f16_e4m3_e3m2_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e4m3_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f16_e4m3_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e4m3_e5m2_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f16_e4m3_e5m2_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e5m2_e2m1_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f16_e5m2_e2m1_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e5m2_e2m3_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f16_e5m2_e2m3_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e5m2_e3m2_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f16_e5m2_e3m2_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e5m2_e4m3_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f16_e5m2_e4m3_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e5m2_f8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f16_e5m2_f8f6f4
 * instructions/mma_scaled: Instructions: mma with scales
 *     ll_ptx_mma_m16n8k32_f32_e2m1_mxf8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e2m1_e2m3_mxf8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e2m1_e3m2_mxf8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e2m1_e4m3_mxf8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e2m1_e5m2_mxf8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e2m3_e2m1_mxf8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e2m3_mxf8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e2m3_e3m2_mxf8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e2m3_e4m3_mxf8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e2m3_e5m2_mxf8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e3m2_e2m1_mxf8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e3m2_e2m3_mxf8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e3m2_mxf8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e3m2_e4m3_mxf8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e3m2_e5m2_mxf8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e4m3_e2m1_mxf8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e4m3_e2m3_mxf8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e4m3_e3m2_mxf8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e4m3_mxf8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e4m3_e5m2_mxf8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e5m2_e2m1_mxf8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e5m2_e2m3_mxf8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e5m2_e3m2_mxf8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e5m2_e4m3_mxf8f6f4
 *     ll_ptx_mma_m16n8k32_f32_e5m2_mxf8f6f4 ll_ptx_mma_m16n8k64_f32_e2m1_mxf4
 *     ll_ptx_mma_m16n8k64_f32_e2m1_mxf4nvf4_2x
 *     ll_ptx_mma_m16n8k64_f32_e2m1_mxf4nvf4_4x
 *     ll_ptx_mma_sp_m16n8k64_f32_e2m1_mxf8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e2m1_e2m3_mxf8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e2m1_e3m2_mxf8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e2m1_e4m3_mxf8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e2m1_e5m2_mxf8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e2m3_e2m1_mxf8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e2m3_mxf8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e2m3_e3m2_mxf8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e2m3_e4m3_mxf8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e2m3_e5m2_mxf8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e3m2_e2m1_mxf8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e3m2_e2m3_mxf8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e3m2_mxf8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e3m2_e4m3_mxf8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e3m2_e5m2_mxf8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e4m3_e2m1_mxf8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e4m3_e2m3_mxf8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e4m3_e3m2_mxf8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e4m3_mxf8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e4m3_e5m2_mxf8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e5m2_e2m1_mxf8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e5m2_e2m3_mxf8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e5m2_e3m2_mxf8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e5m2_e4m3_mxf8f6f4
 *     ll_ptx_mma_sp_m16n8k64_f32_e5m2_mxf8f6f4
 *     ll_ptx_mma_sp_m16n8k128_f32_e2m1_mxf4
 *     ll_ptx_mma_sp_m16n8k128_f32_e2m1_mxf4nvf4_2x
 *     ll_ptx_mma_sp_m16n8k128_f32_e2m1_mxf4nvf4_4x
 * instructions/wgmma: Instructions: wgmma
 *     ll_ptx_wgmma_fence ll_ptx_wgmma_commit_group ll_ptx_wgmma_wait_group
 *     ll_ptx_wgmma_f32_f16 ll_ptx_wgmma_f32_f16_ra ll_ptx_wgmma_f32_bf16
 *     ll_ptx_wgmma_f32_bf16_ra ll_ptx_wgmma_f16_f16 ll_ptx_wgmma_f16_f16_ra
 *     ll_ptx_wgmma_f32_tf32 ll_ptx_wgmma_f32_tf32_ra ll_ptx_wgmma_f32_e4m3
 *     ll_ptx_wgmma_f32_e4m3_ra ll_ptx_wgmma_f32_e4m3_e5m2
 *     ll_ptx_wgmma_f32_e4m3_e5m2_ra ll_ptx_wgmma_f32_e5m2_e4m3
 *     ll_ptx_wgmma_f32_e5m2_e4m3_ra ll_ptx_wgmma_f32_e5m2
 *     ll_ptx_wgmma_f32_e5m2_ra ll_ptx_wgmma_f16_e4m3 ll_ptx_wgmma_f16_e4m3_ra
 *     ll_ptx_wgmma_f16_e4m3_e5m2 ll_ptx_wgmma_f16_e4m3_e5m2_ra
 *     ll_ptx_wgmma_f16_e5m2_e4m3 ll_ptx_wgmma_f16_e5m2_e4m3_ra
 *     ll_ptx_wgmma_f16_e5m2 ll_ptx_wgmma_f16_e5m2_ra ll_ptx_wgmma_s32_s8
 *     ll_ptx_wgmma_s32_s8_ra ll_ptx_wgmma_s32_s8_u8 ll_ptx_wgmma_s32_s8_u8_ra
 *     ll_ptx_wgmma_s32_u8_s8 ll_ptx_wgmma_s32_u8_s8_ra ll_ptx_wgmma_s32_u8
 *     ll_ptx_wgmma_s32_u8_ra ll_ptx_wgmma_s32_b1_and_popc
 *     ll_ptx_wgmma_s32_b1_and_popc_ra
 * instructions/wgmma_sparse: Instructions: wgmma with a sparse A
 *     ll_ptx_wgmma_sp_f32_f16 ll_ptx_wgmma_sp_f32_f16_ra
 *     ll_ptx_wgmma_sp_f32_bf16 ll_ptx_wgmma_sp_f32_bf16_ra
 *     ll_ptx_wgmma_sp_f16_f16 ll_ptx_wgmma_sp_f16_f16_ra
 *     ll_ptx_wgmma_sp_f32_tf32 ll_ptx_wgmma_sp_f32_tf32_ra
 *     ll_ptx_wgmma_sp_f32_e4m3 ll_ptx_wgmma_sp_f32_e4m3_ra
 *     ll_ptx_wgmma_sp_f32_e4m3_e5m2 ll_ptx_wgmma_sp_f32_e4m3_e5m2_ra
 *     ll_ptx_wgmma_sp_f32_e5m2_e4m3 ll_ptx_wgmma_sp_f32_e5m2_e4m3_ra
 *     ll_ptx_wgmma_sp_f32_e5m2 ll_ptx_wgmma_sp_f32_e5m2_ra
 *     ll_ptx_wgmma_sp_f16_e4m3 ll_ptx_wgmma_sp_f16_e4m3_ra
 *     ll_ptx_wgmma_sp_f16_e4m3_e5m2 ll_ptx_wgmma_sp_f16_e4m3_e5m2_ra
 *     ll_ptx_wgmma_sp_f16_e5m2_e4m3 ll_ptx_wgmma_sp_f16_e5m2_e4m3_ra
 *     ll_ptx_wgmma_sp_f16_e5m2 ll_ptx_wgmma_sp_f16_e5m2_ra
 *     ll_ptx_wgmma_sp_s32_s8 ll_ptx_wgmma_sp_s32_s8_ra
 *     ll_ptx_wgmma_sp_s32_s8_u8 ll_ptx_wgmma_sp_s32_s8_u8_ra
 *     ll_ptx_wgmma_sp_s32_u8_s8 ll_ptx_wgmma_sp_s32_u8_s8_ra
 *     ll_ptx_wgmma_sp_s32_u8 ll_ptx_wgmma_sp_s32_u8_ra
 * instructions/tcgen05: Instructions: tensor memory
 *     ll_ptx_tcgen05_alloc ll_ptx_tcgen05_dealloc
 *     ll_ptx_tcgen05_relinquish_alloc_permit ll_ptx_tcgen05_alloc_cta2
 *     ll_ptx_tcgen05_dealloc_cta2 ll_ptx_tcgen05_relinquish_alloc_permit_cta2
 *     ll_ptx_tcgen05_commit ll_ptx_tcgen05_commit_multicast
 *     ll_ptx_tcgen05_commit_cta2 ll_ptx_tcgen05_commit_multicast_cta2
 *     ll_ptx_tcgen05_wait_ld ll_ptx_tcgen05_wait_st
 *     ll_ptx_tcgen05_fence_before_thread_sync
 *     ll_ptx_tcgen05_fence_after_thread_sync ll_ptx_tcgen05_shift_down
 *     ll_ptx_tcgen05_shift_down_cta2 ll_ptx_tcgen05_cp_128x256b
 *     ll_ptx_tcgen05_cp_128x256b_cta2
 *     ll_ptx_tcgen05_cp_128x256b_b8x16_b4x16_p64
 *     ll_ptx_tcgen05_cp_128x256b_b8x16_b4x16_p64_cta2
 *     ll_ptx_tcgen05_cp_128x256b_b8x16_b6x16_p32
 *     ll_ptx_tcgen05_cp_128x256b_b8x16_b6x16_p32_cta2 ll_ptx_tcgen05_cp_4x256b
 *     ll_ptx_tcgen05_cp_4x256b_cta2 ll_ptx_tcgen05_cp_4x256b_b8x16_b4x16_p64
 *     ll_ptx_tcgen05_cp_4x256b_b8x16_b4x16_p64_cta2
 *     ll_ptx_tcgen05_cp_4x256b_b8x16_b6x16_p32
 *     ll_ptx_tcgen05_cp_4x256b_b8x16_b6x16_p32_cta2 ll_ptx_tcgen05_cp_128x128b
 *     ll_ptx_tcgen05_cp_128x128b_cta2
 *     ll_ptx_tcgen05_cp_128x128b_b8x16_b4x16_p64
 *     ll_ptx_tcgen05_cp_128x128b_b8x16_b4x16_p64_cta2
 *     ll_ptx_tcgen05_cp_128x128b_b8x16_b6x16_p32
 *     ll_ptx_tcgen05_cp_128x128b_b8x16_b6x16_p32_cta2
 *     ll_ptx_tcgen05_cp_64x128b_warpx2_02_13
 *     ll_ptx_tcgen05_cp_64x128b_warpx2_02_13_cta2
 *     ll_ptx_tcgen05_cp_64x128b_warpx2_02_13_b8x16_b4x16_p64
 *     ll_ptx_tcgen05_cp_64x128b_warpx2_02_13_b8x16_b4x16_p64_cta2
 *     ll_ptx_tcgen05_cp_64x128b_warpx2_02_13_b8x16_b6x16_p32
 *     ll_ptx_tcgen05_cp_64x128b_warpx2_02_13_b8x16_b6x16_p32_cta2
 *     ll_ptx_tcgen05_cp_64x128b_warpx2_01_23
 *     ll_ptx_tcgen05_cp_64x128b_warpx2_01_23_cta2
 *     ll_ptx_tcgen05_cp_64x128b_warpx2_01_23_b8x16_b4x16_p64
 *     ll_ptx_tcgen05_cp_64x128b_warpx2_01_23_b8x16_b4x16_p64_cta2
 *     ll_ptx_tcgen05_cp_64x128b_warpx2_01_23_b8x16_b6x16_p32
 *     ll_ptx_tcgen05_cp_64x128b_warpx2_01_23_b8x16_b6x16_p32_cta2
 *     ll_ptx_tcgen05_cp_32x128b_warpx4 ll_ptx_tcgen05_cp_32x128b_warpx4_cta2
 *     ll_ptx_tcgen05_cp_32x128b_warpx4_b8x16_b4x16_p64
 *     ll_ptx_tcgen05_cp_32x128b_warpx4_b8x16_b4x16_p64_cta2
 *     ll_ptx_tcgen05_cp_32x128b_warpx4_b8x16_b6x16_p32
 *     ll_ptx_tcgen05_cp_32x128b_warpx4_b8x16_b6x16_p32_cta2
 *     ll_ptx_tcgen05_ld_32x32b ll_ptx_tcgen05_ld_32x32b_pack
 *     ll_ptx_tcgen05_ld_16x64b ll_ptx_tcgen05_ld_16x64b_pack
 *     ll_ptx_tcgen05_ld_16x128b ll_ptx_tcgen05_ld_16x128b_pack
 *     ll_ptx_tcgen05_ld_16x256b ll_ptx_tcgen05_ld_16x256b_pack
 *     ll_ptx_tcgen05_ld_16x32bx2 ll_ptx_tcgen05_ld_16x32bx2_pack
 *     ll_ptx_tcgen05_st_32x32b ll_ptx_tcgen05_st_32x32b_unpack
 *     ll_ptx_tcgen05_st_16x64b ll_ptx_tcgen05_st_16x64b_unpack
 *     ll_ptx_tcgen05_st_16x128b ll_ptx_tcgen05_st_16x128b_unpack
 *     ll_ptx_tcgen05_st_16x256b ll_ptx_tcgen05_st_16x256b_unpack
 *     ll_ptx_tcgen05_st_16x32bx2 ll_ptx_tcgen05_st_16x32bx2_unpack
 * instructions/tcgen05_mma: Instructions: tcgen05.mma
 *     ll_ptx_tcgen05_mma_f16 ll_ptx_tcgen05_mma_f16_cta2
 *     ll_ptx_tcgen05_mma_f16_ta ll_ptx_tcgen05_mma_f16_ta_cta2
 *     ll_ptx_tcgen05_mma_tf32 ll_ptx_tcgen05_mma_tf32_cta2
 *     ll_ptx_tcgen05_mma_tf32_ta ll_ptx_tcgen05_mma_tf32_ta_cta2
 *     ll_ptx_tcgen05_mma_f8f6f4 ll_ptx_tcgen05_mma_f8f6f4_cta2
 *     ll_ptx_tcgen05_mma_f8f6f4_ta ll_ptx_tcgen05_mma_f8f6f4_ta_cta2
 *     ll_ptx_tcgen05_mma_i8 ll_ptx_tcgen05_mma_i8_cta2
 *     ll_ptx_tcgen05_mma_i8_ta ll_ptx_tcgen05_mma_i8_ta_cta2
 *     ll_ptx_tcgen05_mma_mxf8f6f4 ll_ptx_tcgen05_mma_mxf8f6f4_cta2
 *     ll_ptx_tcgen05_mma_mxf8f6f4_ta ll_ptx_tcgen05_mma_mxf8f6f4_ta_cta2
 *     ll_ptx_tcgen05_mma_mxf4 ll_ptx_tcgen05_mma_mxf4_cta2
 *     ll_ptx_tcgen05_mma_mxf4_ta ll_ptx_tcgen05_mma_mxf4_ta_cta2
 *     ll_ptx_tcgen05_mma_mxf4nvf4_block32
 *     ll_ptx_tcgen05_mma_mxf4nvf4_block32_cta2
 *     ll_ptx_tcgen05_mma_mxf4nvf4_block32_ta
 *     ll_ptx_tcgen05_mma_mxf4nvf4_block32_ta_cta2
 *     ll_ptx_tcgen05_mma_mxf4nvf4_block16
 *     ll_ptx_tcgen05_mma_mxf4nvf4_block16_cta2
 *     ll_ptx_tcgen05_mma_mxf4nvf4_block16_ta
 *     ll_ptx_tcgen05_mma_mxf4nvf4_block16_ta_cta2 ll_ptx_tcgen05_mma_sp_f16
 *     ll_ptx_tcgen05_mma_sp_f16_cta2 ll_ptx_tcgen05_mma_sp_f16_ta
 *     ll_ptx_tcgen05_mma_sp_f16_ta_cta2 ll_ptx_tcgen05_mma_sp_tf32
 *     ll_ptx_tcgen05_mma_sp_tf32_cta2 ll_ptx_tcgen05_mma_sp_tf32_ta
 *     ll_ptx_tcgen05_mma_sp_tf32_ta_cta2 ll_ptx_tcgen05_mma_sp_f8f6f4
 *     ll_ptx_tcgen05_mma_sp_f8f6f4_cta2 ll_ptx_tcgen05_mma_sp_f8f6f4_ta
 *     ll_ptx_tcgen05_mma_sp_f8f6f4_ta_cta2 ll_ptx_tcgen05_mma_sp_i8
 *     ll_ptx_tcgen05_mma_sp_i8_cta2 ll_ptx_tcgen05_mma_sp_i8_ta
 *     ll_ptx_tcgen05_mma_sp_i8_ta_cta2 ll_ptx_tcgen05_mma_sp_mxf8f6f4
 *     ll_ptx_tcgen05_mma_sp_mxf8f6f4_cta2 ll_ptx_tcgen05_mma_sp_mxf8f6f4_ta
 *     ll_ptx_tcgen05_mma_sp_mxf8f6f4_ta_cta2 ll_ptx_tcgen05_mma_sp_mxf4
 *     ll_ptx_tcgen05_mma_sp_mxf4_cta2 ll_ptx_tcgen05_mma_sp_mxf4_ta
 *     ll_ptx_tcgen05_mma_sp_mxf4_ta_cta2
 *     ll_ptx_tcgen05_mma_sp_mxf4nvf4_block32
 *     ll_ptx_tcgen05_mma_sp_mxf4nvf4_block32_cta2
 *     ll_ptx_tcgen05_mma_sp_mxf4nvf4_block32_ta
 *     ll_ptx_tcgen05_mma_sp_mxf4nvf4_block32_ta_cta2
 *     ll_ptx_tcgen05_mma_sp_mxf4nvf4_block16
 *     ll_ptx_tcgen05_mma_sp_mxf4nvf4_block16_cta2
 *     ll_ptx_tcgen05_mma_sp_mxf4nvf4_block16_ta
 *     ll_ptx_tcgen05_mma_sp_mxf4nvf4_block16_ta_cta2 ll_ptx_tcgen05_mma_ws_f16
 *     ll_ptx_tcgen05_mma_ws_f16_ta ll_ptx_tcgen05_mma_ws_tf32
 *     ll_ptx_tcgen05_mma_ws_tf32_ta ll_ptx_tcgen05_mma_ws_f8f6f4
 *     ll_ptx_tcgen05_mma_ws_f8f6f4_ta ll_ptx_tcgen05_mma_ws_i8
 *     ll_ptx_tcgen05_mma_ws_i8_ta ll_ptx_tcgen05_mma_ws_sp_f16
 *     ll_ptx_tcgen05_mma_ws_sp_f16_ta ll_ptx_tcgen05_mma_ws_sp_tf32
 *     ll_ptx_tcgen05_mma_ws_sp_tf32_ta ll_ptx_tcgen05_mma_ws_sp_f8f6f4
 *     ll_ptx_tcgen05_mma_ws_sp_f8f6f4_ta ll_ptx_tcgen05_mma_ws_sp_i8
 *     ll_ptx_tcgen05_mma_ws_sp_i8_ta
 * multicast: A box by its rank
 *     LL_MULTICAST_BOX
 * multiply: Products by layout
 *     LL_MMA
 * cast: Numbers of other types
 *     LL_CAST
 * LL_GLANCE_END
 */

/* Words and bit order.
 *
 * As in ll.h. Blocks are one-dimensional: the low five bits of threadIdx.x are
 * the lane, the bits above them the warp. A block has exactly the
 * LL_THREADS(LAYOUT) threads of the layouts that it uses.
 *
 * Addresses of shared memory have 32 bits and count bytes. A `word` has 32
 * bits. Element k of an access occupies its bytes from k * size on, as in
 * memory.
 */

#endif
