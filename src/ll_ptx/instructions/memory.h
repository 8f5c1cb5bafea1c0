/* ---- Instructions: memory --------------------------------------------- */
#ifndef LL_PTX_INSTRUCTIONS_MEMORY_H
#define LL_PTX_INSTRUCTIONS_MEMORY_H

#include "bodies.h"

#ifdef LL_PTX_DEVICE_

/* ld.shared, st.shared: the address is a multiple of the width. */
LL_DEVICE ll_words ll_ptx_ld_shared_b8(unsigned address) {
    LL_LOADED_(1, "ld.shared.u8 %0, [%1];");
}

LL_DEVICE ll_words ll_ptx_ld_shared_b16(unsigned address) {
    LL_LOADED_(1, "ld.shared.u16 %0, [%1];");
}

LL_DEVICE ll_words ll_ptx_ld_shared_b32(unsigned address) {
    LL_LOADED_(1, "ld.shared.u32 %0, [%1];");
}

LL_DEVICE ll_words ll_ptx_ld_shared_b64(unsigned address) {
    LL_LOADED_(2, "ld.shared.v2.u32 {%0, %1}, [%2];");
}

LL_DEVICE ll_words ll_ptx_ld_shared_b128(unsigned address) {
    LL_LOADED_(4, "ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];");
}

LL_DEVICE void ll_ptx_st_shared_b8(unsigned address, ll_words v) {
    LL_STORED_(1, "st.shared.u8 [%0], %1;");
}

LL_DEVICE void ll_ptx_st_shared_b16(unsigned address, ll_words v) {
    LL_STORED_(1, "st.shared.u16 [%0], %1;");
}

LL_DEVICE void ll_ptx_st_shared_b32(unsigned address, ll_words v) {
    LL_STORED_(1, "st.shared.u32 [%0], %1;");
}

LL_DEVICE void ll_ptx_st_shared_b64(unsigned address, ll_words v) {
    LL_STORED_(2, "st.shared.v2.u32 [%0], {%1, %2};");
}

LL_DEVICE void ll_ptx_st_shared_b128(unsigned address, ll_words v) {
    LL_STORED_(4, "st.shared.v4.u32 [%0], {%1, %2, %3, %4};");
}

/* ldmatrix, stmatrix: all lanes of a warp execute them. Lane r passes the
 * address of row r, counted through all matrices. The address is a multiple of
 * 16, on sm_75 in every lane. Word k of a lane is register k. m16n16 has 16
 * rows of 16 bytes, the others have 8. ll_ptx_matrix and ll_ptx_matrix_rows are
 * the layouts. */
LL_DEVICE ll_words ll_ptx_ldmatrix_m8n8_x1(unsigned address) {
    LL_LOADED_(1, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];");
}

LL_DEVICE ll_words ll_ptx_ldmatrix_m8n8_x2(unsigned address) {
    LL_LOADED_(2, "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];");
}

LL_DEVICE ll_words ll_ptx_ldmatrix_m8n8_x4(unsigned address) {
    LL_LOADED_(4, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
               "{%0, %1, %2, %3}, [%4];");
}

LL_DEVICE ll_words ll_ptx_ldmatrix_m8n8_x1_trans(unsigned address) {
    LL_LOADED_(1, "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];");
}

LL_DEVICE ll_words ll_ptx_ldmatrix_m8n8_x2_trans(unsigned address) {
    LL_LOADED_(2, "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 "
               "{%0, %1}, [%2];");
}

LL_DEVICE ll_words ll_ptx_ldmatrix_m8n8_x4_trans(unsigned address) {
    LL_LOADED_(4, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
               "{%0, %1, %2, %3}, [%4];");
}

LL_DEVICE ll_words ll_ptx_ldmatrix_m16n16_x1_trans(unsigned address) {
    LL_LOADED_(2, "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 "
               "{%0, %1}, [%2];");
}

LL_DEVICE ll_words ll_ptx_ldmatrix_m16n16_x2_trans(unsigned address) {
    LL_LOADED_(4, "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8 "
               "{%0, %1, %2, %3}, [%4];");
}

LL_DEVICE void ll_ptx_stmatrix_m8n8_x1(unsigned address, ll_words v) {
    LL_STORED_(1, "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};");
}

LL_DEVICE void ll_ptx_stmatrix_m8n8_x2(unsigned address, ll_words v) {
    LL_STORED_(2, "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};");
}

LL_DEVICE void ll_ptx_stmatrix_m8n8_x4(unsigned address, ll_words v) {
    LL_STORED_(4, "stmatrix.sync.aligned.m8n8.x4.shared.b16 "
               "[%0], {%1, %2, %3, %4};");
}

LL_DEVICE void ll_ptx_stmatrix_m8n8_x1_trans(unsigned address, ll_words v) {
    LL_STORED_(1, "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};");
}

LL_DEVICE void ll_ptx_stmatrix_m8n8_x2_trans(unsigned address, ll_words v) {
    LL_STORED_(2, "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 "
               "[%0], {%1, %2};");
}

LL_DEVICE void ll_ptx_stmatrix_m8n8_x4_trans(unsigned address, ll_words v) {
    LL_STORED_(4, "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
               "[%0], {%1, %2, %3, %4};");
}

LL_DEVICE void ll_ptx_stmatrix_m16n8_x1_trans(unsigned address, ll_words v) {
    LL_STORED_(1, "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%0], {%1};");
}

LL_DEVICE void ll_ptx_stmatrix_m16n8_x2_trans(unsigned address, ll_words v) {
    LL_STORED_(2, "stmatrix.sync.aligned.m16n8.x2.trans.shared.b8 "
               "[%0], {%1, %2};");
}

LL_DEVICE void ll_ptx_stmatrix_m16n8_x4_trans(unsigned address, ll_words v) {
    LL_STORED_(4, "stmatrix.sync.aligned.m16n8.x4.trans.shared.b8 "
               "[%0], {%1, %2, %3, %4};");
}

/* ld.global, st.global: the address is a multiple of the width. A lane with
 * `on` 0 accesses nothing, and its load returns zeros. no_allocate is for data
 * that is used once: it does not displace other data from the caches.
 * ld.global.nc is for memory that nobody writes while the kernel runs. */
LL_DEVICE ll_words ll_ptx_ld_global_b8(unsigned long long address,
                                       unsigned on) {
    LL_LOADED_IF_(1, "%2, 0; @p ld.global.u8 %0, [%1];");
}

LL_DEVICE ll_words ll_ptx_ld_global_b16(unsigned long long address,
                                        unsigned on) {
    LL_LOADED_IF_(1, "%2, 0; @p ld.global.u16 %0, [%1];");
}

LL_DEVICE ll_words ll_ptx_ld_global_b32(unsigned long long address,
                                        unsigned on) {
    LL_LOADED_IF_(1, "%2, 0; @p ld.global.u32 %0, [%1];");
}

LL_DEVICE ll_words ll_ptx_ld_global_b64(unsigned long long address,
                                        unsigned on) {
    LL_LOADED_IF_(2, "%3, 0; @p ld.global.v2.u32 {%0, %1}, [%2];");
}

LL_DEVICE ll_words ll_ptx_ld_global_b128(unsigned long long address,
                                         unsigned on) {
    LL_LOADED_IF_(4, "%5, 0; @p ld.global.v4.u32 {%0, %1, %2, %3}, [%4];");
}

LL_DEVICE ll_words ll_ptx_ld_global_b256(unsigned long long address,
                                         unsigned on) {
    LL_LOADED_IF_(8, "%9, 0; @p ld.global.v8.b32 "
                  "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8];");
}

LL_DEVICE ll_words ll_ptx_ld_global_no_allocate_b8(unsigned long long address,
                                                   unsigned on) {
    LL_LOADED_IF_(1, "%2, 0; @p ld.global.L1::no_allocate.u8 %0, [%1];");
}

LL_DEVICE ll_words ll_ptx_ld_global_no_allocate_b16(unsigned long long address,
                                                    unsigned on) {
    LL_LOADED_IF_(1, "%2, 0; @p ld.global.L1::no_allocate.u16 %0, [%1];");
}

LL_DEVICE ll_words ll_ptx_ld_global_no_allocate_b32(unsigned long long address,
                                                    unsigned on) {
    LL_LOADED_IF_(1, "%2, 0; @p ld.global.L1::no_allocate.u32 %0, [%1];");
}

LL_DEVICE ll_words ll_ptx_ld_global_no_allocate_b64(unsigned long long address,
                                                    unsigned on) {
    LL_LOADED_IF_(2,
                  "%3, 0; @p ld.global.L1::no_allocate.v2.u32 {%0, %1}, [%2];");
}

LL_DEVICE ll_words ll_ptx_ld_global_no_allocate_b128(unsigned long long address,
                                                     unsigned on) {
    LL_LOADED_IF_(4, "%5, 0; @p ld.global.L1::no_allocate.v4.u32 "
                  "{%0, %1, %2, %3}, [%4];");
}

LL_DEVICE ll_words ll_ptx_ld_global_no_allocate_b256(unsigned long long address,
                                                     unsigned on) {
    LL_LOADED_IF_(8, "%9, 0; @p ld.global.L1::no_allocate.v8.b32 "
                  "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8];");
}

LL_DEVICE ll_words ll_ptx_ld_global_nc_b128(unsigned long long address,
                                            unsigned on) {
    LL_LOADED_IF_(4, "%5, 0; @p ld.global.nc.L1::no_allocate.L2::128B.v4.b32 "
                  "{%0, %1, %2, %3}, [%4];");
}

LL_DEVICE void ll_ptx_st_global_b8(unsigned long long address,
                                   ll_words v, unsigned on) {
    LL_STORED_IF_(1, "%2, 0; @p st.global.u8 [%0], %1;");
}

LL_DEVICE void ll_ptx_st_global_b16(unsigned long long address,
                                    ll_words v, unsigned on) {
    LL_STORED_IF_(1, "%2, 0; @p st.global.u16 [%0], %1;");
}

LL_DEVICE void ll_ptx_st_global_b32(unsigned long long address,
                                    ll_words v, unsigned on) {
    LL_STORED_IF_(1, "%2, 0; @p st.global.u32 [%0], %1;");
}

LL_DEVICE void ll_ptx_st_global_b64(unsigned long long address,
                                    ll_words v, unsigned on) {
    LL_STORED_IF_(2, "%3, 0; @p st.global.v2.u32 [%0], {%1, %2};");
}

LL_DEVICE void ll_ptx_st_global_b128(unsigned long long address,
                                     ll_words v, unsigned on) {
    LL_STORED_IF_(4, "%5, 0; @p st.global.v4.u32 [%0], {%1, %2, %3, %4};");
}

LL_DEVICE void ll_ptx_st_global_b256(unsigned long long address,
                                     ll_words v, unsigned on) {
    LL_STORED_IF_(8, "%9, 0; @p st.global.v8.b32 "
                  "[%0], {%1, %2, %3, %4, %5, %6, %7, %8};");
}

LL_DEVICE void ll_ptx_st_global_no_allocate_b8(unsigned long long address,
                                               ll_words v, unsigned on) {
    LL_STORED_IF_(1, "%2, 0; @p st.global.L1::no_allocate.u8 [%0], %1;");
}

LL_DEVICE void ll_ptx_st_global_no_allocate_b16(unsigned long long address,
                                                ll_words v, unsigned on) {
    LL_STORED_IF_(1, "%2, 0; @p st.global.L1::no_allocate.u16 [%0], %1;");
}

LL_DEVICE void ll_ptx_st_global_no_allocate_b32(unsigned long long address,
                                                ll_words v, unsigned on) {
    LL_STORED_IF_(1, "%2, 0; @p st.global.L1::no_allocate.u32 [%0], %1;");
}

LL_DEVICE void ll_ptx_st_global_no_allocate_b64(unsigned long long address,
                                                ll_words v, unsigned on) {
    LL_STORED_IF_(2,
                  "%3, 0; @p st.global.L1::no_allocate.v2.u32 [%0], {%1, %2};");
}

LL_DEVICE void ll_ptx_st_global_no_allocate_b128(unsigned long long address,
                                                 ll_words v, unsigned on) {
    LL_STORED_IF_(4, "%5, 0; @p st.global.L1::no_allocate.v4.u32 "
                  "[%0], {%1, %2, %3, %4};");
}

LL_DEVICE void ll_ptx_st_global_no_allocate_b256(unsigned long long address,
                                                 ll_words v, unsigned on) {
    LL_STORED_IF_(8, "%9, 0; @p st.global.L1::no_allocate.v8.b32 "
                  "[%0], {%1, %2, %3, %4, %5, %6, %7, %8};");
}

/* cp.async copies from global address `from` to shared address `to`, both
 * multiples of the width. _fill reads only the first `bytes` bytes and writes
 * zeros for the rest; with 0 it reads nothing. commit_group makes a group of
 * the copies since the last group. wait_group<N> waits until at most N groups
 * of this lane are pending. */
LL_DEVICE void ll_ptx_cp_async_ca_b32(unsigned to, unsigned long long from) {
    LL_PTX_("cp.async.ca.shared.global [%0], [%1], 4;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_cp_async_ca_b64(unsigned to, unsigned long long from) {
    LL_PTX_("cp.async.ca.shared.global [%0], [%1], 8;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_cp_async_ca_b128(unsigned to, unsigned long long from) {
    LL_PTX_("cp.async.ca.shared.global [%0], [%1], 16;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_cp_async_cg_b128(unsigned to, unsigned long long from) {
    LL_PTX_("cp.async.cg.shared.global [%0], [%1], 16;",
            (), (LL_I32_(to), LL_I64_(from)));
}

LL_DEVICE void ll_ptx_cp_async_ca_b32_fill(unsigned to,
                                           unsigned long long from,
                                           unsigned bytes) {
    LL_PTX_("cp.async.ca.shared.global [%0], [%1], 4, %2;",
            (), (LL_I32_(to), LL_I64_(from), LL_I32_(bytes)));
}

LL_DEVICE void ll_ptx_cp_async_ca_b64_fill(unsigned to,
                                           unsigned long long from,
                                           unsigned bytes) {
    LL_PTX_("cp.async.ca.shared.global [%0], [%1], 8, %2;",
            (), (LL_I32_(to), LL_I64_(from), LL_I32_(bytes)));
}

LL_DEVICE void ll_ptx_cp_async_ca_b128_fill(unsigned to,
                                            unsigned long long from,
                                            unsigned bytes) {
    LL_PTX_("cp.async.ca.shared.global [%0], [%1], 16, %2;",
            (), (LL_I32_(to), LL_I64_(from), LL_I32_(bytes)));
}

LL_DEVICE void ll_ptx_cp_async_cg_b128_fill(unsigned to,
                                            unsigned long long from,
                                            unsigned bytes) {
    LL_PTX_("cp.async.cg.shared.global [%0], [%1], 16, %2;",
            (), (LL_I32_(to), LL_I64_(from), LL_I32_(bytes)));
}

LL_DEVICE void ll_ptx_cp_async_commit_group(void) {
    LL_PTX_("cp.async.commit_group;", (), ());
}

template <unsigned N_> LL_DEVICE void ll_ptx_cp_async_wait_group(void) {
    LL_PTX_("cp.async.wait_group %0;", (), (LL_IMM_(N_)));
}

/* fence.proxy.async makes this lane's stores to shared memory visible to wgmma,
 * tcgen05 and tensor copies that start after the next barrier. */
LL_DEVICE void ll_ptx_fence_proxy_async(void) {
    LL_PTX_("fence.proxy.async.shared::cta;", (), ());
}

#endif

#endif
